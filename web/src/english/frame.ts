/** Texts of the frame around all pages, and of what every part of the dashboard uses: times, colour maps, the player. */

/* Frame around the pages */
export const enum frame {
  close = "Close",
  lost = "Not found",
  lostWhy = "There is no such page",
  allJobs = "All jobs",
  skip = "Skip to the content",
  home = "Scree, all jobs",
  name = "Scree",
  main = "Main",
  jobs = "Jobs",
  newRun = "New run",
  studies = "Studies",
  guide = "Guide",
  guideTitle = "A scene explained by an example, and every key of a scene",
}
export const frameTitle = (page: string): string => `${page} · Scree`;

/* Theme */
export const enum theme {
  system = "System",
  light = "Light",
  dark = "Dark",
  label = "Theme",
  title = "Theme of the page",
}

/* Moments */
export const enum moment {
  now = "just now",
}
export const momentMinutes = (minutes: number): string => `${minutes}\u202fmin ago`;
export const momentHours = (hours: number): string => `${hours}\u202fh ago`;

/* Colour maps */
export const enum map {
  even = "Violet to yellow",
  blue = "Blue to yellow",
  heat = "Black to yellow",
  grey = "Grey",
  signs = "Blue, white, orange: by sign",
}

/* Player */
export const playerTrouble = (reason: string): string => `The frame at this time could not be loaded: ${reason}`;
