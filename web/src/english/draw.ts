/** Messages of pictures and films drawn without a window: `scree render` and `scree film` print them. */
export const drawNoField = (name: string, fields: string): string => `no field is called "${name}". There are: ${fields}, none`;
export const enum draw {
  endedEarly = "the browser ended the film early",
  noGrains = "this job has no points whose grains could be drawn",
}
export const drawNoFrames = (job: number): string => `job ${job} has no frames yet`;
export const drawNoFrame = (job: number, frame: number, last: number): string => `job ${job} has no frame ${frame}: they are numbered 0 to ${last}`;
export const drawTooLarge = (width: number, height: number): string => `the browser has no memory for ${width} x ${height} pixels: choose a smaller size`;
export const drawNothing = (name: string, names: string): string => `nothing is called "${name}". There are: ${names}`;
export const drawNoVectors = (name: string, names: string): string => (names === "" ? `this job has no vectors to draw as arrows` : `no vectors are called "${name}". There are: ${names}`);
export const drawByNumber = (field: string): string => `${field}=NUMBER`;
