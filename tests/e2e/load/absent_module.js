import grpc from "k6/net/grpc";
export default function () {}
