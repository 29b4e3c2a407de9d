/** Texts of the 3D view: what is shown and from where, colours, parts, pictures and films taken away. The first word of a name is the panel. */

/* Clip, shapes and the rig */
export const enum bar {
  fitTitle = "Show everything (F)",
  fit = "Fit",
  axis = "Axis of the cut",
  place = "Position of the cut",
  flipTitle = "Keep the other side",
  flip = "Flip",
  clipTitle = "Cut the specimen open (C)",
  clip = "Clip",
  surface = "Surface",
  balls = "Balls",
  shapesTitle = "Show the surfaces of the pieces, or the balls they consist of (S)",
  show = "Show",
  ballSize = "Size of the balls",
  grains = "Grains of a point",
  grainsTitle = "Draws every point of the sand as so many grains at random places around it, which go with it: for the eye, nothing is computed by them",
  rig = "Rig",
  tooMany = "There are too many shapes to draw without a graphics processor: they are shown as balls.",
}

/* Where the view looks from, and what is shown */
export const enum look {
  name = "View",
  title = "Where to look from, and what is shown",
  sides = "Look along an axis",
  right = "Look from the right",
  left = "Look from the left",
  front = "Look from the front",
  behind = "Look from behind",
  above = "Look from above",
  below = "Look from below",
  trueSize = "as they are",
  displacementsTitle = "Draws every element this many times as far from where it began; the rig stays where it is",
  displacements = "Displacements",
  parallelTitle = "Orthographic: far things look as large as near ones",
  parallel = "Parallel projection",
  shadeTitle = "Darker corners, outlines, fading with distance, and a shadow on the ground; left out while the view moves",
  shade = "Shade",
  shown = "Shown",
  exploded = "Exploded view",
  explodedTitle = "Moves the pieces apart, each as a whole away from the middle of all",
  keep = "Keep this view",
  keepTitle = "Remembers in this browser where the camera stands, for this run",
  kept = "Kept views",
}
export const lookKept = (number: number): string => `View ${number}`;
export const lookForget = (number: number): string => `Forget view ${number}`;

/* Parts */
export const enum parts {
  name = "Parts",
  title = "Show only a box, hide parts, draw arrows",
  showAll = "Show all",
  lengthLabel = "Length of the arrows",
  nothing = "nothing",
  noArrows = "none",
  whole = "Whole box",
  box = "Clip box",
  from = "from",
  to = "to",
  hideTitle = "A click on the picture hides the part under the pointer",
  hide = "A click hides",
  arrowsTitle = "Velocities are means since the previous frame",
  arrows = "Arrows",
  length = "Length",
  firstFrame = "The first frame has no velocities, as there is no frame before it.",
  still = "Nothing moves in this frame.",
  zero = "All are 0 in this frame.",
  follow = "A click draws a path",
  followTitle = "A click on the picture draws the path of the element under the pointer through all frames",
  clearPaths = "Remove paths",
  noPath = "This element can't be followed: frames hold only some of the elements, or it comes and goes.",
}
export const partsPath = (length: string, distance: string, frames: number): string => `The path is ${length} long over ${frames} frames; the end is ${distance} from the start.`;
export const partsShowHidden = (count: number): string => `Show all (${count} hidden)`;
export const partsFromAlong = (axis: string): string => `Box from, along ${axis}`;
export const partsToAlong = (axis: string): string => `Box to, along ${axis}`;
export const partsDrawn = (count: number, longest: string): string => `${count} ${count === 1 ? "arrow" : "arrows"}; the longest is ${longest}.`;

/* Pictures and films */
export const enum save {
  name = "Save",
  title = "Save the view as a picture (PNG) or a film (WebM)",
  fourK = "3840 × 2160 (4k)",
  eightK = "7680 × 4320 (8k)",
  oneColumn = "1050 × 800 (one column, 89 mm)",
  twoColumns = "2160 × 1200 (two columns, 183 mm)",
  white = "white",
  transparent = "transparent",
  asPage = "as on the page",
  film = "Film",
  picture = "Picture",
  size = "Size",
  ground = "Background",
  filmAt = "Film at",
  beside = "Curve beside",
  besideTitle = "The first plot, with a dot at the time of the picture",
  tooLarge = "This browser has no memory for so large a picture: choose a smaller size.",
  stop = "Stop",
  stopped = "Stopped.",
  noFilms = "this browser can neither encode nor record films",
}
export const saveFramesPerSecond = (rate: number): string => `${rate} fps`;
export const saveSaved = (width: number, height: number): string => `Saved ${width} × ${height} pixels.`;
export const saveMaking = (percent: number): string => `Making the film: ${percent} %`;
export const saveSavedFilm = (frames: number, width: number, height: number): string => `Saved a film of ${frames} frames of ${width} × ${height} pixels.`;
export const saveFailed = (reason: string): string => `The film could not be made: ${reason}`;

/* Colours and fields */
export const enum colour {
  run = "run so far",
  frame = "this frame",
  fixed = "fixed",
  low = "Lower end of the colours",
  high = "Upper end of the colours",
  nothing = "Nothing",
  range = "Range",
  by = "Colour by",
}
export const colourMore = (count: string): string => `and ${count} more`;
export const colourClasses = (field: string, total: string): string => `${field}: ${total} in all`;
export const colourEverywhere = (value: string): string => `${value} everywhere`;
export const enum scale {
  name = "Scale",
  title = "Range and colours of the scale",
  colours = "Colours",
  logarithmic = "Logarithmic",
  onlyTitle = "Leave out what lies outside the range",
  only = "Only what is in range",
}
export const enum fields {
  points = "points",
  instances = "instances",
  vertices = "vertices",
  nodes = "nodes",
  cells = "cells",
  elements = "elements",
  title = "All fields with the range of their values in the run so far",
  name = "Fields",
}

/* What lies at the pointer */
export const enum hover {
  vertex = "vertex",
  node = "node",
  element = "element",
}
export const hoverCell = (place: string): string => `cell ${place}`;
export const hoverNodeOf = (node: number, thread: number): string => `node ${node} of thread ${thread}`;
