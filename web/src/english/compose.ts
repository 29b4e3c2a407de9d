/** Texts of the form of a scene and what stands beside it: fields, files, the JSON editor, the check, the pictures. The first word of a name is the panel. */

/* Form */
export const enum form {
  methodTitle = "Equations, limits and validation of this method",
  foldAll = "Fold all",
  unfoldAll = "Unfold all",
  scene = "Scene",
  about = "About",
  aboutHelp = "what the experiment is called",
  varyTitle = "Vary this number: a study runs the scene once for each of its values",
  vary = "Vary",
  advanced = "Advanced",
  kept = "Kept for other methods",
  notGiven = "not given",
  unknown = "unknown",
  type = "Type",
  givenAs = "Given as",
  remove = "Remove",
}
export const formVaryLabel = (field: string): string => `Vary ${field}`;
export const formVaried = (how: string): string => `Varied: ${how}`;
export const formRemoveLabel = (item: string): string => `Remove ${item}`;
export const formMore = (count: number): string => `and ${count} more: edit them as JSON`;
export const formAdd = (item: string): string => `Add ${item}`;
export const enum field {
  empty = "empty",
  required = "required",
  automatic = "automatic",
  json = "JSON",
  notJson = "This is not JSON, so it is not part of the scene yet.",
}
export const fieldAllowed = (range: string): string => `allowed: ${range}`;
export const fieldOtherUnit = (example: string): string => `Another unit may be typed with the number, for example ${example}`;
export const fieldUnit = (field: string): string => `Unit of ${field}`;
export const fieldDefault = (value: string): string => `${value} (default)`;

/* A part of the scene in one line */
export const enum summary {
  yes = "yes",
  no = "no",
}
export const andMore = (count: number): string => `and ${count} more`;

/* Files */
export const enum asset {
  upload = "Upload …",
  uploading = "Uploading …",
  noName = "no name",
  points = "a body given by points on its surface",
  mesh = "a mesh",
  noSolid = "it encloses no solid",
}
export const assetImage = (grains: number): string => `${grains} grains of a voxel image`;
export const assetVolume = (volume: string): string => `volume ${volume}`;
export const assetAbout = (what: string, size: string, volume: string, triangles: number): string => `${what}, ${size} in the file's unit, ${volume}, ${triangles} triangles`;
export const assetPicture = (about: string): string => `The specimen: ${about}. The arrow keys turn it`;

/* JSON editor */
export const enum json {
  editor = "The scene as JSON",
}
export const jsonBroken = (line: number, reason: string): string => `This is not JSON yet${line > 0 ? ` (line ${line})` : ""}: ${reason}`;

/* Check */
export const enum check {
  title = "Check",
  estimate = "Estimate",
  notJson = "The text is not JSON yet, so there is nothing to estimate.",
  wholeScene = "scene",
  memory = "Memory",
  timeStep = "Time step",
  steps = "Steps",
  frames = "Frames",
  recording = "Recording, at most",
  runTime = "Run time, one thread",
  sound = "This scene can run.",
}
export const checkRefused = (count: number): string => (count === 1 ? "One thing keeps this scene from running:" : `${count} things keep this scene from running:`);
export const checkEmpty = (count: number): string => (count === 1 ? "One field is still empty:" : `${count} fields are still empty:`);
export const checkStillEmpty = (label: string): string => `${label} is still empty.`;
export const checkUnusual = (count: number): string => (count === 1 ? "One thing is unusual:" : `${count} things are unusual:`);
export const enum mend {
  leaveOut = "Leave it out",
  turn = "Reverse the motion",
  break = "Let it break",
  begin = "Start at the specimen",
  longer = "Run until it gets there",
  moveRig = "Move the rig to the specimen",
}
export const mendBreakAt = (energy: number): string => `Let it break at ${energy} J/m²`;

/* How the run is made */
export const enum runPlace {
  title = "Run on",
  help = "This changes how long the run takes, none of its results.",
  device = "Device",
  processor = "The processor",
  automatic = "A GPU where there is one, else the processor",
  noGpu = "A GPU where there is one (here is none), else the processor",
  ranks = "Processes",
  one = "One",
  usual = "By what messages usually take on one machine. `scree bench ranks` on the server's machine measures it.",
  executor = "Where",
  local = "This server's machine",
  partition = "Partition",
  anyPartition = "The engine's choice",
  waiting = "Why jobs wait there",
}
export const runPlaceEngine = (engine: string, running: number, queued: number): string => `${engine}: ${running} running, ${queued} waiting`;
export const runPlaceAway = (engine: string, reason: string): string => `${engine} (can't be used now: ${reason})`;
export const runPlaceUsualPartition = (name: string): string => `The engine's choice (${name})`;
export const runPlacePartition = (name: string, idle: number, all: number, limit: string, up: boolean): string =>
  up ? `${name}: ${idle} of ${all} processors idle${limit === "" ? "" : `, at most ${limit}`}` : `${name} (is down)`;
export const runPlaceWaits = (job: number, reason: string): string => `Job ${job} waits there: ${reason}`;
export const runPlaceDevice = (name: string, title: string): string => `${name}: ${title}`;
export const runPlaceUnusable = (name: string, title: string, reason: string): string => `${name}: ${title} (can't be used: ${reason})`;
export const runPlaceAbsent = (name: string): string => `${name} (not on the server's machine)`;
export const runPlaceRanks = (ranks: number, speedup: string): string => `${ranks}, about ${speedup} times as fast as one`;
export const runPlaceRanksOnly = (ranks: number): string => `${ranks}`;
export const runPlaceMeasured = (day: string): string => `By what was measured on the server's machine on ${day}.`;

/* Picture of the scene */
export const enum picture {
  none = "The picture appears when a check finds nothing wrong.",
  time = "Time in the run",
  fit = "Fit",
  label = "Picture of the scene",
  title = "Scene",
  canvas = "The scene before its run",
}
export const pictureAlong = (axis: string): string => `Look along ${axis}`;
export const pictureFailed = (reason: string): string => `The scene can't be drawn: ${reason}`;
export const pictureMove = (part: string, distance: string, direction: string): string => `${part} moves ${distance}${direction === "" ? "" : ` along ${direction}`}`;
export const pictureGap = (gap: string, specimen: string): string => `, after a gap of ${gap} to ${specimen}`;

/* Handles in the picture */
export const enum handle {
  group = "Handles of the selected body",
  hint = "Drag a handle, or focus it and press the arrow keys. Shift: fine steps. Esc: cancel.",
  undo = "Undo",
  specimen = "specimen",
  obstacle = "obstacle",
  rig = "the rig",
  opening = "Opening of the rig",
  span = "Span of the rig",
}
export const handleMove = (body: string, axis: string): string => `Move ${body} along ${axis}`;
export const handleSize = (size: string, body: string, axis: string): string => `${size} of ${body}${axis === "" ? "" : ` along ${axis}`}`;
export const handleWall = (wall: string): string => `Move wall ${wall}`;
export const handleGrip = (grip: string): string => `Move the ${grip} grip`;
export const handleTitle = (label: string): string => `${label}: drag, or press the arrow keys; with Shift in fine steps`;
export const handleUndo = (what: string): string => `Undo "${what}" (Ctrl+Z)`;

/* Template */
export const enum template {
  specimen = "Specimen",
  show = "Show",
  title = "Template",
  tooLarge = "This template has too many nodes and modes for a picture here; `scree template --surface` writes its surface to a file.",
  amplitude = "Amplitude",
  play = "Play",
  mode = "Mode",
  stop = "Stop",
}
export const templateModeNumber = (number: number): string => `Mode ${number}`;
export const templatePicture = (specimen: string, nodes: number): string => `The template of ${specimen}: ${nodes} nodes. The arrow keys turn it`;
