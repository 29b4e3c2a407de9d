/** Texts of the connection to the server: its state, and what is said when a request fails or a record can't be read. */

/* Requests */
export const requestRefused = (reasons: number, first: string): string => (reasons === 1 ? `This scene can't run: ${first}.` : `This scene can't run, for ${reasons} reasons. The first: ${first}.`);
export const enum request {
  unreachable = "The server does not answer. Is screed still running?",
}
export const requestStatus = (status: number): string => `The server answered with status ${status}.`;

/* Connection */
export const enum connection {
  now = "Connect now",
  connecting = "Connecting …",
  open = "Connected",
  waiting = "No connection to the server",
  offline = "No network",
}
export const connectionAgain = (seconds: number): string => `, trying again in ${seconds} s`;

/* Records */
export const recordUnread = (reason: string): string => `A record could not be read: ${reason}.`;
export const recordNoFrame = (number: number): string => `record ${number} is not a frame`;
export const enum record {
  noPicture = "the picture lacks its topology or its frame",
  noTopology = "the topology lists no drawables or no series",
  arrayHeader = "an array's header",
  array = "an array",
  blockHeader = "a block's header",
  frameHeader = "the frame's header",
  curveHeader = "the curve's header",
  samples = "the curve's samples",
  geometryHeader = "the geometry's header",
  vertices = "the geometry's vertices",
  triangles = "the geometry's triangles",
  geometryModes = "the geometry's modes",
}
export const recordShort = (bytes: number): string => `a record of ${bytes} bytes is shorter than its header`;
export const recordSize = (number: number, announced: number, held: number): string => `record ${number} announces ${announced} bytes but holds ${held}`;
export const recordNotJson = (number: number): string => `record ${number} does not hold JSON`;
export const recordEnds = (number: number, what: string): string => `record ${number} ends inside ${what}`;
export const recordEncoding = (encoding: number): string => `encoding ${encoding} is unknown to this dashboard`;
export const recordArraySize = (elements: number, components: number, bytes: number): string => `an array of ${elements} elements with ${components} components can't take ${bytes} bytes`;
export const recordBlockSize = (drawable: number): string => `the block of drawable ${drawable} has a size other than it announces`;
export const recordModes = (drawable: number, modes: number, most: number): string => `the geometry of drawable ${drawable} has ${modes} modes; at most ${most} can be drawn`;
