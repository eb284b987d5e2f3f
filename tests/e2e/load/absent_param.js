import http from "k6/http";
export const options = { iterations: 1 };
export default function () {
  http.post(`${__ENV.BASE}/echo`, "x", { compression: "gzip" });
}
