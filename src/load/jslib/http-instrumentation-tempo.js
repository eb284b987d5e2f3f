import { tempo } from 'https://jslib.k6.io/assay-http-instrumentation/index.js';

export const { Client, instrumentHTTP } = tempo;
export default tempo;
