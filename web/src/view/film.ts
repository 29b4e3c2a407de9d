/** Making a film of pictures that are drawn one after the other: by WebCodecs, picture by picture with exact times, else by what records a canvas,
 *  which takes as long as the film. */
import * as english from "../english/view.js";
import { webmFile, type FilmPicture } from "./webm.js";

export interface Film {
  width: number; /** pixels, even */
  height: number;
  rate: number; /** pictures a second */
  count: number;
  /** Draws picture `index` into the canvas. */
  draw: (index: number, canvas: HTMLCanvasElement) => Promise<void>;
  progress: (share: number) => void;
  signal: AbortSignal;
}

const CODECS = [["vp09.00.10.08", "V_VP9"], ["vp8", "V_VP8"]] as const;
const KEY_EVERY = 60;
const BITS_PER_PIXEL = 0.18;

async function codecFor(film: Film): Promise<{ config: VideoEncoderConfig; name: string } | null> {
  if (typeof VideoEncoder === "undefined") return null;
  for (const [codec, name] of CODECS) {
    const config: VideoEncoderConfig = { codec, width: film.width, height: film.height, bitrate: BITS_PER_PIXEL * film.width * film.height * film.rate, framerate: film.rate };
    if ((await VideoEncoder.isConfigSupported(config).catch(() => null))?.supported === true) return { config, name };
  }
  return null;
}

async function encoded(film: Film, canvas: HTMLCanvasElement, codec: { config: VideoEncoderConfig; name: string }): Promise<Blob> {
  const pictures: FilmPicture[] = [];
  let failed: Error | null = null;
  const encoder = new VideoEncoder({
    output: (chunk) => {
      const data = new Uint8Array(chunk.byteLength);
      chunk.copyTo(data);
      pictures.push({ data, time: chunk.timestamp / 1000, key: chunk.type === "key" });
    },
    error: (error) => (failed = error),
  });
  encoder.configure(codec.config);
  for (let i = 0; i < film.count && failed === null && !film.signal.aborted; i++) {
    await film.draw(i, canvas);
    const frame = new VideoFrame(canvas, { timestamp: Math.round((1e6 * i) / film.rate), duration: Math.round(1e6 / film.rate) });
    encoder.encode(frame, { keyFrame: i % KEY_EVERY === 0 });
    frame.close();
    while (encoder.encodeQueueSize > 4) await new Promise((done) => setTimeout(done, 5));
    film.progress((i + 1) / film.count);
  }
  if (failed === null && !film.signal.aborted) await encoder.flush();
  if (encoder.state !== "closed") encoder.close();
  if (failed !== null) throw failed as Error;
  return new Blob([webmFile(pictures, codec.name, film.width, film.height, 1000 / film.rate) as BlobPart], { type: "video/webm" });
}

async function recorded(film: Film, canvas: HTMLCanvasElement): Promise<Blob> {
  if (typeof MediaRecorder === "undefined") throw new Error(english.save.noFilms);
  const recorder = new MediaRecorder(canvas.captureStream(film.rate), { mimeType: "video/webm" });
  const parts: Blob[] = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const ended = new Promise<void>((done) => (recorder.onstop = () => done()));
  recorder.start();
  for (let i = 0; i < film.count && !film.signal.aborted; i++) {
    const begun = performance.now();
    await film.draw(i, canvas);
    film.progress((i + 1) / film.count);
    await new Promise((done) => setTimeout(done, Math.max(0, 1000 / film.rate - (performance.now() - begun))));
  }
  recorder.stop();
  await ended;
  return new Blob(parts, { type: "video/webm" });
}

/** The film as a file, null when it was called off. */
export async function makeFilm(film: Film): Promise<Blob | null> {
  const canvas = document.createElement("canvas");
  canvas.width = film.width;
  canvas.height = film.height;
  const codec = await codecFor(film);
  const made = codec ? await encoded(film, canvas, codec) : await recorded(film, canvas);
  return film.signal.aborted ? null : made;
}
