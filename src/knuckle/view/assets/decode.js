// The numbers of the page: one deflated buffer, and the poses at any time.

const KINDS = { f4: Float32Array, u2: Uint16Array, u4: Uint32Array };

/** The buffer of the page, from base64 and deflate. */
async function inflate(text) {
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream();
  const plain = stream.pipeThrough(new DecompressionStream("deflate"));
  return new Response(plain).arrayBuffer();
}

/** The typed array that a reference {kind, at, count} stands for. */
function array(buffer, { kind, at, count }) {
  return new KINDS[kind](buffer, at, count);
}

/** The state before t and how far the next one is: [k, fraction in 0 ... 1]. */
function place(times, t) {
  let low = 0;
  let high = times.length - 1;
  if (high === 0 || t <= times[0]) return [0, 0];
  if (t >= times[high]) return [high - 1, 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle;
  }
  return [low, (t - times[low]) / (times[high] - times[low])];
}

/** Entry i of rows of width n at (k, s), linear between two rows; into `out`. */
function between(rows, n, i, width, [k, s], out) {
  const a = (k * n + i) * width;
  const b = s > 0 ? a + n * width : a;
  for (let c = 0; c < width; c++) out[c] = rows[a + c] * (1 - s) + rows[b + c] * s;
  return out;
}
