import { pyroscope } from 'https://jslib.k6.io/assay-http-instrumentation/index.js';

export const { Client, instrumentHTTP } = pyroscope;
export default pyroscope;
