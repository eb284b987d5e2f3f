import ws from "k6/ws";
export default function () {}
