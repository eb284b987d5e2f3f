// Two users who compute all the time: with a tenth of a CPU they are stopped most of it.
export const options = { vus: 2, duration: '3s' };

export default function () {
  let x = 0;
  for (let i = 0; i < 20000; i++) x += i;
}
