/** A film as a WebM file: pictures that a codec made, with the time of each. Source: IETF RFC 8794 (EBML) and RFC 9559 (Matroska). */

export interface FilmPicture {
  data: Uint8Array;
  time: number; /** ms from the beginning, rising */
  key: boolean; /** it can be decoded by itself; the first must be one */
}

const CLUSTER_MS = 4000; /* times in a cluster are 16 bits with a sign */

/** A number in as few bytes as hold it, at least one. */
function whole(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; rest > 0 || bytes.length === 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Uint8Array.from(bytes);
}

function joined(parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** A size as EBML writes it, always in eight bytes. */
function sizeOf(size: number): Uint8Array {
  const out = new Uint8Array(8);
  new DataView(out.buffer).setUint32(0, 0x01000000 + Math.floor(size / 2 ** 32));
  new DataView(out.buffer).setUint32(4, size % 2 ** 32);
  return out;
}

function element(id: number, ...content: Uint8Array[]): Uint8Array {
  const body = joined(content);
  return joined([whole(id), sizeOf(body.length), body]);
}

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

function real(value: number): Uint8Array {
  const out = new Uint8Array(8);
  new DataView(out.buffer).setFloat64(0, value);
  return out;
}

/** A SimpleBlock of track 1. */
function block(picture: FilmPicture, clusterTime: number): Uint8Array {
  const head = new Uint8Array(4);
  head[0] = 0x81;
  new DataView(head.buffer).setInt16(1, Math.round(picture.time) - clusterTime);
  head[3] = picture.key ? 0x80 : 0;
  return element(0xa3, head, picture.data);
}

/** @param codec "V_VP8", "V_VP9"    @param lasts ms, of the last picture */
export function webmFile(pictures: FilmPicture[], codec: string, width: number, height: number, lasts: number): Uint8Array {
  const end = (pictures[pictures.length - 1]?.time ?? 0) + lasts;
  const head = element(0x1a45dfa3, element(0x4286, whole(1)), element(0x42f7, whole(1)), element(0x42f2, whole(4)), element(0x42f3, whole(8)), element(0x4282, text("webm")), element(0x4287, whole(4)), element(0x4285, whole(2)));
  const info = element(0x1549a966, element(0x2ad7b1, whole(1000000)), element(0x4489, real(end)), element(0x4d80, text("Scree")), element(0x5741, text("Scree")));
  const video = element(0xe0, element(0xb0, whole(width)), element(0xba, whole(height)));
  const track = element(0xae, element(0xd7, whole(1)), element(0x73c5, whole(1)), element(0x9c, whole(0)), element(0x83, whole(1)), element(0x86, text(codec)), video);
  const clusters: Uint8Array[] = [];
  for (let at = 0; at < pictures.length; ) {
    const from = Math.round(pictures[at]?.time ?? 0);
    const blocks: Uint8Array[] = [];
    for (; at < pictures.length && (pictures[at]?.time ?? 0) - from < CLUSTER_MS; at++) blocks.push(block(pictures[at] as FilmPicture, from));
    clusters.push(element(0x1f43b675, element(0xe7, whole(from)), ...blocks));
  }
  return joined([head, element(0x18538067, info, element(0x1654ae6b, track), ...clusters)]);
}
