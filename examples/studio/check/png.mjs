// Screenshots with 256 colours: a page of text needs no more, and a file is a third as large.
import { crc32, deflateSync, inflateSync } from "node:zlib";

const COLOURS = 256;
const MAGIC = Buffer.from("89504e470d0a1a0a", "hex");

/** The same picture with a palette. It reads what browsers write: 8 bits, RGB or RGBA, not interlaced. */
export function smaller(png) {
  const { width, height, pixels } = decode(png);
  const counts = new Map();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const byCount = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([colour]) => colour);
  const palette = paletteOf(byCount);
  const index = new Map(byCount.map((colour) => [colour, nearest(palette, colour)]));
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) rows[y * (width + 1) + 1 + x] = index.get(pixels[y * width + x]);
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  const parts = [chunk("IHDR", head), chunk("PLTE", colours), chunk("IDAT", deflateSync(rows, { level: 9 })), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([MAGIC, ...parts]);
}

// The most frequent colours, but none that is close to one before it; how close is as little as fits.
function paletteOf(byCount) {
  for (let apart = 0; ; apart += 2) {
    const palette = [];
    for (const colour of byCount) {
      if (palette.every((one) => far(one, colour) > apart)) palette.push(colour);
      if (palette.length > COLOURS) break;
    }
    if (palette.length <= COLOURS) return palette;
  }
}

const far = (a, b) => Math.abs((a >> 16) - (b >> 16)) + Math.abs(((a >> 8) & 255) - ((b >> 8) & 255)) + Math.abs((a & 255) - (b & 255));

function nearest(palette, colour) {
  let best = 0;
  for (let k = 1; k < palette.length; k += 1) if (far(palette[k], colour) < far(palette[best], colour)) best = k;
  return best;
}

function chunk(name, data) {
  const body = Buffer.concat([Buffer.from(name), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

function decode(png) {
  const data = [];
  let [width, height, size] = [0, 0, 0];
  for (let at = MAGIC.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const body = png.subarray(at + 8, at + 8 + length);
    const name = png.toString("latin1", at + 4, at + 8);
    if (name === "IHDR") {
      [width, height, size] = [body.readUInt32BE(0), body.readUInt32BE(4), { 2: 3, 6: 4 }[body[9]]];
      if (body[8] !== 8 || !size || body[12] !== 0) throw new Error("a picture of another kind");
    } else if (name === "IDAT") data.push(body);
    at += length + 12;
  }
  const bytes = inflateSync(Buffer.concat(data));
  const row = width * size;
  const pixels = new Uint32Array(width * height);
  let above = new Uint8Array(row);
  for (let y = 0; y < height; y += 1) {
    const filter = bytes[y * (row + 1)];
    const line = new Uint8Array(bytes.subarray(y * (row + 1) + 1, (y + 1) * (row + 1)));
    for (let k = 0; k < row; k += 1) {
      const [left, up, corner] = [k < size ? 0 : line[k - size], above[k], k < size ? 0 : above[k - size]];
      line[k] += filter === 0 ? 0 : filter === 1 ? left : filter === 2 ? up : filter === 3 ? (left + up) >> 1 : paeth(left, up, corner);
    }
    for (let x = 0; x < width; x += 1) pixels[y * width + x] = (line[x * size] << 16) | (line[x * size + 1] << 8) | line[x * size + 2];
    above = line;
  }
  return { width, height, pixels };
}

function paeth(left, up, corner) {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
