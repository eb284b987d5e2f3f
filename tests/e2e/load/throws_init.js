export const options = { iterations: 1 };

function broken() {
  throw new Error("init broke");
}

broken();
export default function () {}
