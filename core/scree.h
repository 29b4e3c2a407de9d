/** scree.h: the public interface of libscree, the physics core of Scree.
 *
 *  In the order of use:
 *    1. Status and errors      how calls fail, and how a scene's problems are listed
 *    2. Scenes                 JSON text -> checked, immutable scr_scene, with an estimate of its cost
 *    3. Methods                what can be simulated, and every option of it
 *    4. Simulations            one scene in motion: step, observe, save, load
 *    5. Runs                   a whole run into a directory: recording, checkpoints, resume
 *    6. Recordings             reading what a run wrote, while it runs or later
 *    7. Exports                CSV, SVG, VTKHDF, STL and PLY files made from a recording
 *
 *  Rules that hold for every call:
 *  - SI units everywhere. Angles in radians unless a name ends in _deg.
 *  - Functions return scr_status and describe a failure in `error`, which may be NULL.
 *  - Nothing here prints, exits or aborts. No global state; distinct objects may be used from distinct threads. One thing of the process is
 *    changed: runs that factorise matrices set OpenBLAS, where it is the BLAS, to one thread, so that their bits don't depend on it. -
 *    Strings returned as `char *` are owned by the caller and freed with scr_free. - Every destroy function accepts NULL. */
#ifndef SCREE_H
#define SCREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SCR_VERSION "0.1.0"

/* ── 1. Status and errors ─────────────────────────────────────────────────────────────────────────────────────── */

typedef enum scr_status {
  SCR_OK = 0,
  SCR_BAD_USAGE, /**< the caller passed something the function's description forbids */
  SCR_BAD_SCENE, /**< the scene is not one Scree can run; the problems say why */
  SCR_BAD_FILE,  /**< a file is not what its name says, or is damaged */
  SCR_NO_MEMORY, /**< an allocation failed */
  SCR_IO,        /**< the operating system refused a file operation */
  SCR_DIVERGED,  /**< the run lost its state: non-finite, a bond stretched beyond sense, a node out of the rig */
  SCR_STOPPED,   /**< the caller asked the run to stop: it saved a checkpoint and can be resumed */
  SCR_CANCELLED, /**< the caller cancelled the run: its recording is closed with that verdict */
  SCR_BUSY,      /**< another process holds the directory */
  SCR_MISMATCH   /**< a resumed run did not reproduce what is already recorded */
} scr_status;

/** Why a call failed. Fixed size, so that reporting a failed allocation needs none. */
typedef struct scr_error {
  scr_status code;
  char pointer[160]; /**< JSON Pointer into the scene, or "" */
  char message[640]; /**< which quantity, its value, the allowed range, and what to do */
} scr_error;

/** Name of a status for people and logs, e.g. "bad scene". Static text. */
const char *scr_status_name(scr_status status);

/** One reason why a scene is refused, or one warning about a scene that can run. */
typedef struct scr_problem {
  char *pointer; /**< JSON Pointer (RFC 6901) to the offending value, "" for the whole document */
  char *given;   /**< what was given, as JSON text, or "" when something is missing */
  char *allowed; /**< what is allowed, as a phrase: "a number > 0, in m" */
  char *detail;  /**< the whole sentence: quantity, value, range, what to do */
} scr_problem;

/** All reasons at once. Starts zeroed; owned by the caller; emptied by scr_problems_clear. */
typedef struct scr_problems {
  scr_problem *items;
  size_t count;
  size_t capacity;
  bool truncated; /**< more problems were found than the limit of 100 lists */
} scr_problems;

void scr_problems_clear(scr_problems *problems);

/** Frees a string that the library returned. NULL is fine. */
void scr_free(void *pointer);

/* ── 2. Scenes ────────────────────────────────────────────────────────────────────────────────────────────────── */

/** What a scene may ask for. Exceeding a limit is a problem of the scene, reported before any work. */
typedef struct scr_limits {
  size_t text_bytes;     /**< longest scene text, default 4 MiB */
  size_t memory_bytes;   /**< most memory one run may need, default 4 GiB */
  uint64_t step_count;   /**< most steps, default 1e9 */
  uint64_t record_bytes; /**< largest recording, default 16 GiB */
  uint64_t asset_bytes;  /**< of all files a scene refers to, default 256 MiB; 0: the default */
} scr_limits;

scr_limits scr_limits_default(void);

/** Something that a run is made of, as its method counts it: 20480 of "bonds". */
enum { SCR_COUNT_LIMIT = 4, SCR_COUNT_NAME_BYTES = 24 };
typedef struct scr_count {
  char name[SCR_COUNT_NAME_BYTES];  /**< lower_snake, plural */
  char label[SCR_COUNT_NAME_BYTES]; /**< for people: "Bonds" */
  uint64_t value;
} scr_count;

/** What takes a run's time, as its method counts it: 3e9 times "a bond in a step" at 2.4e-9 s each. */
enum { SCR_COST_LIMIT = 12 };
typedef struct scr_cost {
  const char *what; /**< static text of this program */
  double count;     /**< how often a run does it, above 0 */
  double seconds;   /**< all of them together, on one thread */
} scr_cost;

/** What a checked scene will cost. Counts of nodes are exact; other counts, memory and seconds are estimates. */
typedef struct scr_estimate {
  uint64_t node_count;               /**< what frames draw where the method draws nothing of its own: nodes, spheres, bodies */
  size_t count_count;                /**< 1 or more of a scene that can run */
  scr_count counts[SCR_COUNT_LIMIT]; /**< what the method names, the most telling first; of one that names nothing its nodes */
  uint64_t step_rows;                /**< most rows that steps add to event tables */
  double step_row_bytes;             /**< of all of those */
  double frame_row_bytes;            /**< most bytes that the rows of event tables added at one frame take */
  double frame_body_bytes; /**< what the elements of a frame take, where a method draws other ones than its nodes, all in one drawable; 0:
                              nodes as points, with their scalars */
  double frame_line_bytes; /**< most bytes that lines of force take in a frame, beside its elements */
  double shape_bytes;      /**< of shapes that the recording holds once */
  double file_bytes;       /**< most bytes of the files that the method makes beside the recording */
  double memory_bytes;
  double state_bytes;      /**< of them, those of the method: a checkpoint is no larger */
  double time_step;        /**< s; the step the run will use */
  char time_step_rule[64]; /**< which bound rules: "bond", "contact", "wall damping", "step_ratio", "output" (its intervals), "given" */
  uint64_t step_count;
  uint64_t frame_count;
  double record_bytes;            /**< with all the rows that event tables may get, and the method's files */
  double run_seconds;             /**< wall-clock on this kind of machine with `threads` of 1; divide by threads */
  size_t cost_count;              /**< 0 where the scene was checked by another process */
  scr_cost costs[SCR_COST_LIMIT]; /**< the parts of run_seconds */
} scr_estimate;

/** A checked scene: immutable, complete with every default. */
typedef struct scr_scene scr_scene;

/** Parses and checks scene text (UTF-8 JSON, see core/scene/README.md). Finds all problems, not only the first.
 *  @param limits   NULL for the defaults
 *  @param scene    receives a new scene on SCR_OK, else NULL
 *  @param problems receives the reasons on SCR_BAD_SCENE; appended to
 *  @return SCR_OK, SCR_BAD_SCENE, SCR_NO_MEMORY */
scr_status scr_scene_parse(const char *text, size_t length, const scr_limits *limits, scr_scene **scene, scr_problems *problems);
void scr_scene_destroy(scr_scene *scene);

/** Bytes of a file that a scene refers to: a mesh, a point cloud, an image of voxels, whatever its reader makes of them. */
enum { SCR_ASSET_DIGEST_BYTES = 65 };
typedef struct scr_asset {
  const void *bytes;                   /**< [size], and a zero byte behind them */
  size_t size;                         /**< >= 1 */
  char digest[SCR_ASSET_DIGEST_BYTES]; /**< SHA-256 of the bytes, hexadecimal digits, small letters */
} scr_asset;

/** Where the files that a scene refers to are read from, and nowhere else. */
typedef struct scr_asset_source {
  const char *store;  /**< directory of files named by their digests, for "sha256:<digest>"; NULL: there are none */
  const char *beside; /**< directory that paths are below, that of the scene's file; NULL: paths are refused */
} scr_asset_source;

/** scr_scene_parse of a scene that may refer to files (`"file": "sha256:..."` or a path beside the scene's file). Without a source, as by
 *  scr_scene_parse, such a reference is a problem. They are read at once and held until the scene is destroyed; the effective scene names
 *  them by their digests. @param source NULL: none; used during the call only */
scr_status scr_scene_parse_with(const char *text, size_t length, const scr_limits *limits, const scr_asset_source *source,
                                scr_scene **scene, scr_problems *problems);

/** What a file looks like as a specimen, in the file's unit. Need not be initialised; emptied by scr_preview_clear. */
typedef struct scr_preview {
  char kind[16];      /**< "mesh", "image" (voxels with a label per grain) or "points" (a cloud on a body's surface) */
  size_t grains;      /**< labels of an image; 1 for others */
  size_t whole_count; /**< triangles before they were made fewer */
  size_t vertex_count, triangle_count;
  float *vertices;        /**< [3 vertex_count] x, y, z */
  uint32_t *triangles;    /**< [3 triangle_count] numbers of vertices, counter-clockwise seen from outside */
  uint32_t *parts;        /**< [triangle_count] which of an image's grains, or of a mesh's parts */
  double low[3], high[3]; /**< around it */
  double volume;          /**< of all grains; NAN for a mesh that bounds none */
  scr_problems problems;  /**< what a scene with it would be refused or warned for, where it is; pointers are "" */
} scr_preview;

/** Reads a file as a mesh (STL, PLY, OBJ), a voxel image (NRRD, MetaImage) or points (XYZ, CSV, PLY) and makes at most about
 *  `triangle_limit` triangles of it.
 *  @return SCR_OK; SCR_BAD_FILE for anything else, with what it is not and why; SCR_NO_MEMORY */
scr_status scr_asset_preview(const void *bytes, size_t size, size_t triangle_limit, scr_preview *preview, scr_error *error);
void scr_preview_clear(scr_preview *preview);

/** A place where a scene refers to a file. Owned by the scene. */
typedef struct scr_asset_use {
  const char *pointer; /**< JSON Pointer into the scene as it was parsed */
  const char *given;   /**< what stands there */
  const scr_asset *asset;
} scr_asset_use;

/** The files of a scene, each once, and the places where it refers to them. `use` receives place number `index`; false past the last. */
size_t scr_scene_asset_count(const scr_scene *scene);
const scr_asset *scr_scene_asset(const scr_scene *scene, size_t index);
bool scr_scene_asset_use(const scr_scene *scene, size_t index, scr_asset_use *use);

/** The effective scene as JSON text: every default made explicit. Parsing it gives the same scene. */
char *scr_scene_json(const scr_scene *scene);

/** How far the rig's parts are from the specimens at t = 0, as a JSON list of objects: `part`, `specimen` (the nearest), `gap` (m, > 0, by
 * the box around it, so never more than the true distance), `travel` (m, farthest that the part's program takes it towards the specimens;
 * servo segments stand still), `from` and `to` (the gap's ends, m, on the part and on the specimen). Parts that touch or have none in their
 * way, grips and obstacles are left out.
 *  @return the text, to scr_free; NULL: no memory */
char *scr_scene_gaps_json(const scr_scene *scene);

/** What the method makes of a specimen before a run, as a JSON object (of lsdem: nodes, level set, mass, modes, how well they fit), for
 *  methods that have such a preview.
 *  @param specimen its name; NULL: the first    @param json receives the text, to scr_free
 *  @return SCR_OK; SCR_BAD_USAGE: no such specimen, or a method without a preview; what making it says; SCR_NO_MEMORY */
scr_status scr_specimen_preview_json(const scr_scene *scene, const char *specimen, char **json, scr_error *error);

/** Its surface as a PLY file, moved by a mode.
 *  @param mode from 1; 0: at rest    @param amplitude m    @param ply receives [*size] bytes, to scr_free    @return as
 * scr_specimen_preview_json; SCR_BAD_USAGE: no such mode */
scr_status scr_specimen_preview_surface(const scr_scene *scene, const char *specimen, size_t mode, double amplitude, char **ply,
                                        size_t *size, scr_error *error);

/** Its surface for pictures that move: need not be initialised, emptied by scr_preview_shape_clear. In the specimen's own axes, m. */
typedef struct scr_preview_shape {
  size_t vertex_count, triangle_count, mode_count;
  float *vertices;     /**< [3 vertex_count] x, y, z at rest */
  uint32_t *triangles; /**< [3 triangle_count] numbers of vertices, counter-clockwise seen from outside */
  float *fields;       /**< [mode_count][3 vertex_count] how far a mode moves each vertex, per metre of its amplitude */
} scr_preview_shape;

/** @return as scr_specimen_preview_json */
scr_status scr_specimen_preview_shape(const scr_scene *scene, const char *specimen, scr_preview_shape *shape, scr_error *error);
void scr_preview_shape_clear(scr_preview_shape *shape);

/** The scene's name, title and method. Owned by the scene. */
const char *scr_scene_name(const scr_scene *scene);
const char *scr_scene_title(const scr_scene *scene);
const char *scr_scene_method(const scr_scene *scene);
const scr_estimate *scr_scene_estimate(const scr_scene *scene);

/** What is unusual about a scene although it can run, and probably not meant: same form as the problems of a refused one. Empty when
 *  nothing is. Owned by the scene. */
const scr_problems *scr_scene_warnings(const scr_scene *scene);

/** JSON Schema (draft 2020-12) of scenes for one method, with units (`x-unit`), defaults, ranges and help; or of scenes
 *  for any method (`oneOf`) when `method` is NULL. Keys of materials, contact and specimens that other methods declare are admitted:
 *  `x-methods` names those. NULL on an unknown method or no memory. */
char *scr_scene_schema(const char *method);

/** The reference of scenes, from the tables that scenes are read by: {"sections": [{"path": "materials[]", "type" (of a form that is told
 *  apart by its key "type"), "method" (of what one declares: options, keys
 *  of materials, contact, specimens), "title", "help", "keys": [{"name", "type", "unit", "default", "range", "help", "see" (the
 *  path where what is inside is described)}]}], "methods": [{"method", "title", "curves": [{"name", "unit", "label"}]}]}. JSON text, NULL:
 *  no memory. */
char *scr_reference_json(void);

/* ── 3. Methods ───────────────────────────────────────────────────────────────────────────────────────────────── */

size_t scr_method_count(void);
const char *scr_method_name(size_t index);

/** Description of one method, or of all as an array when `name` is NULL: title, summary, options and what it declares of materials, contact
 *  and specimens, with type, unit, default, range and help, series it reports. JSON text; NULL on an unknown name or no memory. */
char *scr_method_json(const char *name);

/* ── 4. Simulations ───────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct scr_sim scr_sim;

/** Curves whose names begin so are measured by a clock and differ from run to run: all others are the same bits. A resumed run keeps what
 *  was recorded of them, and no stop rule may read them. */
#define SCR_CLOCK_PREFIX "clock."

/** Name, unit and label of one curve. */
typedef struct scr_series {
  char name[64];  /**< "wall.z_max.force_z" */
  char unit[16];  /**< "N"; "1" when it has none */
  char label[96]; /**< for people: "Top wall, force z" */
} scr_series;

/** Builds the simulation of a scene, ready to step. The scene must outlive it. `threads` of 0 means 1. */
scr_status scr_sim_create(const scr_scene *scene, unsigned threads, scr_sim **sim, scr_error *error);
void scr_sim_destroy(scr_sim *sim);

/** Advances by one time step. After a failure only destroy, observe and save may be called. */
scr_status scr_sim_step(scr_sim *sim, scr_error *error);

double scr_sim_time(const scr_sim *sim);
double scr_sim_time_step(const scr_sim *sim);
uint64_t scr_sim_steps(const scr_sim *sim);

/** The curves: series_count names, and their values now. values: [series_count]. Series 0 is always "time". */
size_t scr_sim_series_count(const scr_sim *sim);
const scr_series *scr_sim_series(const scr_sim *sim, size_t index);
void scr_sim_observe(const scr_sim *sim, double *values);

/* ── 5. Runs ──────────────────────────────────────────────────────────────────────────────────────────────────── */

enum { SCR_HEADLINE_LIMIT = 3 };

/** A number that says how a run does, for progress lines, lists and tables of results. A method declares which there are. */
typedef struct scr_headline {
  char name[64];  /**< of the curve it is made from: "wall.z_max.force_z" */
  char label[64]; /**< for people: "Peak force" */
  char unit[16];  /**< "N"; "1" when it has none */
  double value;   /**< NaN: not known yet */
} scr_headline;

typedef struct scr_run_progress {
  uint64_t step, step_count; /**< step_count 0: not known, for the method chooses its steps; how far the run is, is sim_time / duration */
  double sim_time, duration; /**< s */
  size_t headline_count;
  scr_headline headlines[SCR_HEADLINE_LIMIT]; /**< what the method declares; by default the largest magnitude of the first plotted force */
  double run_seconds;                         /**< wall-clock of this attempt */
  double steps_per_second;                    /**< over the last seconds */
  double time_per_second;                     /**< s of simulated time per s, over the last seconds */
  char stage[96];                             /**< label of the stage the run is in; "" when the method declares none */
  uint64_t last_seq;                          /**< newest whole record in the recording */
  bool resumed;                               /**< this attempt began from a checkpoint */
} scr_run_progress;

typedef enum scr_run_answer {
  SCR_RUN_GO_ON = 0,
  SCR_RUN_STOP,   /**< checkpoint and return SCR_STOPPED */
  SCR_RUN_CANCEL, /**< close the recording with verdict "cancelled" and return SCR_CANCELLED */
} scr_run_answer;

typedef struct scr_run_options {
  const char *directory;     /**< the job directory; created if missing */
  unsigned threads;          /**< 0 means 1 */
  double checkpoint_seconds; /**< wall-clock between checkpoints; 0 means 10 */
  double progress_seconds;   /**< wall-clock between calls of `progress` at the least; 0 means 0.2 */
  scr_run_answer (*progress)(void *user, const scr_run_progress *progress); /**< may be NULL */
  /** Called while the simulation is built and from within long steps, where `progress` is not: something goes on. No more often than
   *  `progress`; from the calling thread. May be NULL. */
  void (*liveness)(void *user);
  void *user;
} scr_run_options;

/** Runs a scene to its end in a directory, or resumes what lies there.
 *
 *  Files: scene.json (effective scene), recording.scree, recording.index, checkpoint.scree, lock.
 *  A directory holding a checkpoint of the same scene is resumed: the records after the checkpoint are computed again and
 *  compared byte for byte with those already there, so a recording only ever grows. One that already ended returns its verdict.
 *  Without a checkpoint an unfinished recording is re-run from the start in the same way.
 *  A run that diverges writes a last frame and an `end` record with verdict "failed".
 *
 *  @return SCR_OK, SCR_STOPPED, SCR_CANCELLED, SCR_DIVERGED, SCR_BUSY, SCR_IO, SCR_NO_MEMORY, SCR_BAD_FILE, SCR_MISMATCH */
scr_status scr_run(const scr_scene *scene, const scr_run_options *options, scr_error *error);

/* ── 6. Recordings ────────────────────────────────────────────────────────────────────────────────────────────── */

typedef enum scr_record_type {
  SCR_RECORD_SCENE = 1,     /**< JSON: the effective scene, build and processor */
  SCR_RECORD_TOPOLOGY = 2,  /**< JSON: drawables, series, plots */
  SCR_RECORD_FRAME = 3,     /**< binary: the drawables' state */
  SCR_RECORD_CURVE = 4,     /**< binary: samples of all series */
  SCR_RECORD_EVENT = 5,     /**< JSON: something worth a line */
  SCR_RECORD_PROGRESS = 6,  /**< JSON: step, time, totals (nothing that depends on the wall clock) */
  SCR_RECORD_END = 7,       /**< JSON: verdict and totals; nothing follows */
  SCR_RECORD_BREAKS = 8,    /**< binary: rows of the table "breaks", in recordings from before they were a table like others */
  SCR_RECORD_TABLE = 9,     /**< binary: rows of an event table that the topology declares */
  SCR_RECORD_GEOMETRY = 10, /**< binary: triangles and modes of a shape, right behind the topology */
  SCR_RECORD_TYPE_COUNT     /**< one more than the last type */
} scr_record_type;

#define SCR_FILE_MAGIC "SCREE\x01\0\0" /**< first 8 bytes of a recording */
#define SCR_FILE_MAGIC_BYTES 8

/** Header of every record, in files and on the wire; little-endian. Described in core/record/FORMAT.md. */
typedef struct scr_record_header {
  uint32_t size;   /**< bytes of payload, without padding */
  uint16_t type;   /**< scr_record_type */
  uint16_t flags;  /**< 0 in files; on the wire of a frame: frames skipped before it, at most 65535 */
  uint64_t seq;    /**< 1, 2, 3, ... without gaps */
  double sim_time; /**< s */
  uint32_t crc32c; /**< of header and padded payload, with flags, crc32c and stream taken as 0 */
  uint32_t stream; /**< 0 in files; on the wire the subscription's number */
} scr_record_header;

/** Bytes a record takes: header plus payload padded to 8. */
#define SCR_RECORD_BYTES(payload_size) (sizeof(scr_record_header) + (((size_t)(payload_size) + 7u) & ~(size_t)7u))

/** An open recording; it may be growing. One thread at a time. */
typedef struct scr_recording scr_recording;

scr_status scr_recording_open(const char *path, scr_recording **recording, scr_error *error);
void scr_recording_close(scr_recording *recording);

/** Takes notice of records appended since. A torn tail is not seen until it is whole. */
scr_status scr_recording_refresh(scr_recording *recording, scr_error *error);

uint64_t scr_recording_count(const scr_recording *recording); /**< records; their seqs are 1 ... count */
uint64_t scr_recording_bytes(const scr_recording *recording); /**< length of the whole records, magic included */
bool scr_recording_ended(const scr_recording *recording);     /**< an `end` record is there */

/** Header of record `seq` (1 ... count), NULL outside. Valid until the next refresh. */
const scr_record_header *scr_recording_header(const scr_recording *recording, uint64_t seq);

/** Next record of one of the types in `type_mask` (bit 1u << type) after `seq`; 0 if there is none. */
uint64_t scr_recording_next(const scr_recording *recording, uint64_t seq, unsigned type_mask);
/** Newest record of one of the types in `type_mask`; 0 if there is none. */
uint64_t scr_recording_newest(const scr_recording *recording, unsigned type_mask);

/** Copies record `seq`, header and padded payload, checking its CRC.
 *  @param buffer   [SCR_RECORD_BYTES(header->size)], 8-byte aligned    @param capacity its size in bytes */
scr_status scr_recording_read(scr_recording *recording, uint64_t seq, void *buffer, size_t capacity, scr_error *error);

/** How a run ended. */
typedef enum scr_verdict { SCR_VERDICT_NONE, SCR_VERDICT_SUCCEEDED, SCR_VERDICT_FAILED, SCR_VERDICT_CANCELLED } scr_verdict;

/** "succeeded", "failed", "cancelled"; "none" for SCR_VERDICT_NONE. Static text. */
const char *scr_verdict_name(scr_verdict verdict);

/** A reason not to trust a run that went to its end: its balance of energy is off, a tolerance was missed, an approximation was used where
 *  it does not hold. A run has one doubt of each kind, with the worst case met. */
typedef struct scr_doubt {
  char kind[32];     /**< for programs, in lower case: "energy_balance" */
  char message[480]; /**< for people: which quantity, its value, what it should be, what to do; UTF-8 */
} scr_doubt;

enum { SCR_DOUBT_LIMIT = 16 }; /**< most doubts of one run */

/** What the `end` record says. */
typedef struct scr_end {
  scr_verdict verdict; /**< SCR_VERDICT_NONE: there is no such record yet */
  char message[640];   /**< which stop rule, or why it failed; "" otherwise */
  uint64_t step;
  double sim_time; /**< s */
  size_t headline_count;
  scr_headline headlines[SCR_HEADLINE_LIMIT]; /**< as they were at the end */
  uint64_t frames, samples;
  size_t doubt_count; /**< of a run that succeeded: 0 means a plain success */
  scr_doubt doubts[SCR_DOUBT_LIMIT];
  uint64_t records; /**< of the recording, itself included; 0: from before they were counted */
  char digest[65];  /**< SHA-256, in hexadecimal digits, of the headers of all records before it, each with its checksum; "" then too */
} scr_end;

/** Reads the `end` record, if there is one. @return SCR_OK, SCR_BAD_FILE (no known verdict), SCR_IO, SCR_NO_MEMORY */
scr_status scr_recording_end(scr_recording *recording, scr_end *end, scr_error *error);

/** Whether a recording is all there. */
typedef enum scr_integrity {
  SCR_COMPLETE,   /**< every record from the first to `end`, and they are those that were recorded */
  SCR_UNFINISHED, /**< whole as far as it goes, without an `end`: its run goes on, was interrupted, or the file was cut off */
  SCR_DAMAGED     /**< records are damaged or missing */
} scr_integrity;

/** "complete", "unfinished", "damaged". Static text. */
const char *scr_integrity_name(scr_integrity integrity);

/** What scr_recording_verify found. */
typedef struct scr_check {
  scr_integrity integrity;
  uint64_t records;  /**< whole records from the first on, without a gap */
  uint64_t expected; /**< records there should be; 0: not known */
  uint64_t damaged;  /**< number of the first record damaged or missing, 0: none */
  uint64_t offset;   /**< SCR_DAMAGED: where that one begins or should begin, bytes */
  uint64_t behind;   /**< whole records behind it */
  double time;       /**< s, of the last of `records`; NaN without one */
  char digest[65];   /**< as in scr_end, computed; "" when there is nothing to compare it with */
  char message[480]; /**< for people: what is missing and where */
} scr_check;

/** Reads every byte that was not read before and tells whether all is there. A damaged recording is cut, for this reader, before its first
 *  damaged record, so that whatever is read from it then is sound; the file is left as it is.
 *  @param expected records there should be, from elsewhere; 0: not known
 *  @return SCR_OK whatever was found; SCR_IO, SCR_NO_MEMORY, SCR_BAD_FILE (it shrank meanwhile) */
scr_status scr_recording_verify(scr_recording *recording, uint64_t expected, scr_check *check, scr_error *error);

/** Reads record `seq` and tells whether it is whole; looks only once. For reading a long recording over in pieces, before
 *  scr_recording_verify.
 *  @param seq 1 to scr_recording_count */
scr_status scr_recording_check_record(scr_recording *recording, uint64_t seq, bool *whole, scr_error *error);

/** All curve samples of a recording. */
typedef struct scr_curves {
  size_t series_count, sample_count;
  scr_series *series; /**< [series_count] */
  double *values;     /**< [sample_count][series_count] */
} scr_curves;

/** Reads the samples of seq > `after` (0: all). An unfinished recording gives what is there. */
scr_status scr_curves_read(scr_recording *recording, uint64_t after, scr_curves **curves, scr_error *error);
void scr_curves_destroy(scr_curves *curves);

/** Reads the samples of one curve record, so that a long run's curves need not be in memory at once.
 *  @param series_count of the topology    @param values receives [sample_count][series_count], to scr_free; NULL when there is none
 *  @return SCR_OK, SCR_BAD_FILE (damaged, or of other series), SCR_IO, SCR_NO_MEMORY */
scr_status scr_samples_read(scr_recording *recording, uint64_t seq, size_t series_count, double **values, size_t *sample_count,
                            scr_error *error);

enum { SCR_COLUMN_VALUES = 16 }; /**< most named values of a column */

/** A column of an event table. */
typedef struct scr_column {
  char name[64];        /**< "lower_mass" */
  char unit[16];        /**< "kg"; "1" when it has none */
  char label[96];       /**< for people */
  uint32_t value_count; /**< 0: numbers; else its cells are 0 ... value_count - 1 and stand for these names, which texts show instead */
  char values[SCR_COLUMN_VALUES][32]; /**< lower_snake */
} scr_column;

/** An event table: rows of numbers, under columns that the method declares. Which tables there are, and what they mean, says the method
 *  (core/methods); scr_tables_list says which a recording has. */
typedef struct scr_table {
  char name[64], label[96];
  size_t column_count, row_count;
  scr_column *columns; /**< [column_count] */
  double *values;      /**< [row_count][column_count]; NaN: there is no such value. NULL in lists */
  uint32_t number;     /**< its place among the recording's tables */
} scr_table;

/** The tables of a recording, without their values: names, labels, columns, and how many rows are recorded. None before the topology is.
 *  @param tables receives [count], to scr_tables_destroy    @return SCR_OK, SCR_BAD_FILE, SCR_IO, SCR_NO_MEMORY */
scr_status scr_tables_list(scr_recording *recording, scr_table **tables, size_t *count, scr_error *error);
void scr_tables_destroy(scr_table *tables, size_t count);

/** Reads the rows of one table from the records of seq > `after` (0: all). An unfinished recording gives what is there.
 *  @return SCR_OK; SCR_BAD_USAGE when the recording has no such table, as those from before there were tables; SCR_BAD_FILE, SCR_IO,
 *          SCR_NO_MEMORY */
scr_status scr_table_read(scr_recording *recording, const char *name, uint64_t after, scr_table **table, scr_error *error);
/** As scr_table_read, without any rows: to read them record by record, so that a long table need not be in memory at once. */
scr_status scr_table_open(scr_recording *recording, const char *name, scr_table **table, scr_error *error);
/** Puts the rows of the table's next record after `*seq` in place of those it has, and its number into `*seq`; no rows: there is none. */
scr_status scr_table_next(scr_recording *recording, scr_table *table, uint64_t *seq, scr_error *error);
void scr_table_destroy(scr_table *table);

/* ── 7. Exports ───────────────────────────────────────────────────────────────────────────────────────────────── */

/** Curves as CSV (RFC 4180): a header line `name [unit]`, one line per sample, numbers with 17 digits. Text to scr_free. */
scr_status scr_curves_csv(const scr_curves *curves, char **text, size_t *length, scr_error *error);

/** What of a table to write: all at once, or piece by piece, as its rows are read. */
typedef enum scr_table_part {
  SCR_TABLE_WHOLE,
  SCR_TABLE_HEAD, /**< what stands before the first row */
  SCR_TABLE_ROWS, /**< the first rows */
  SCR_TABLE_MORE, /**< rows that follow others */
  SCR_TABLE_TAIL  /**< what stands behind the last row */
} scr_table_part;

/** A table as CSV: a line `name [unit]` per column, of named values `name` alone, then a line per row; what has no value is empty. Text to
 *  scr_free. */
scr_status scr_table_csv(const scr_table *table, scr_table_part part, char **text, size_t *length, scr_error *error);

/** A table as JSON: {"name", "label", "columns": [{"name", "unit", "label", "values" (of named ones)}], "rows": [[..]]}; what has no value
 *  is null. Text to scr_free. */
scr_status scr_table_json(const scr_table *table, scr_table_part part, char **text, size_t *length, scr_error *error);

/** The tables of a recording as JSON: [{"name", "label", "columns", "rows" (how many), "picture" (whether scr_table_svg draws
 *  it)}]. Text to scr_free. */
scr_status scr_tables_json(const scr_table *tables, size_t count, char **text, size_t *length, scr_error *error);

/** The newest histogram of a table as an SVG picture: a bar per class of masses with its share of all mass and its count, what is apart
 *  from the classes beside; with the state at the start behind it.
 *  @return SCR_OK; SCR_BAD_USAGE when the recording has no such table, it is no histogram, or has no rows yet; SCR_BAD_FILE, SCR_IO,
 *  SCR_NO_MEMORY */
scr_status scr_table_svg(scr_recording *recording, const char *name, char **text, size_t *length, scr_error *error);

/** A curve over another. */
typedef struct scr_curve_plot {
  const char *title; /**< "": none */
  const char *x, *y; /**< names of curves */
  double scale;      /**< what y is multiplied by */
  unsigned average;  /**< samples of the moving average; 0 and 1: none */
  const char *unit;  /**< of y times scale; NULL, "": y's own, or what scale makes of it */
} scr_curve_plot;

/** One curve as an SVG picture with axes, units and the scene's title. Text to scr_free.
 *  @return SCR_OK, SCR_BAD_USAGE (there is no such curve), SCR_NO_MEMORY */
scr_status scr_curves_svg(const scr_curves *curves, const scr_curve_plot *plot, char **text, size_t *length, scr_error *error);

/** Plot number `index` declared in the recording's topology (0 is the main one), as SVG. */
scr_status scr_recording_plot_svg(scr_recording *recording, size_t index, char **text, size_t *length, scr_error *error);

/** Writes one VTKHDF (1,0) file per frame, NAME-000000.vtkhdf ..., and NAME.vtkhdf.series into `directory`, curves along
 *  in /scree. Readable by VTK 9.1 and ParaView 5.11 on. Holds all drawables but skins of points: points as vertices, threads as polylines,
 *  walls as outlines, all else as triangles, with every scalar field and the radius at the vertices.
 *  @return SCR_OK; SCR_BAD_USAGE for a name that is none, or too many triangles; SCR_BAD_FILE, SCR_IO, SCR_NO_MEMORY */
scr_status scr_export_vtkhdf(scr_recording *recording, const char *directory, const char *name, size_t *file_count, scr_error *error);

/** Files for surfaces. */
typedef enum scr_surface_format {
  SCR_SURFACE_STL, /**< text; a `solid` each: NAME.FIELD-NUMBER per piece (NAME of the drawable, FIELD the one that numbers its pieces),
                      NAME.NUMBER per instance (its `id`, else its place), NAME of a surface, NAME.OBSTACLE per obstacle */
  SCR_SURFACE_PLY  /**< binary, little-endian; faces carry the property `piece`: that number, 0 of a surface, 4294967295 - k of the k-th
                      obstacle */
} scr_surface_format;

typedef struct scr_surface_options {
  scr_surface_format format;
  int64_t frame; /**< number of the frame, 0 for the first, -1 for the newest */
  double cell; /**< m, how finely the skins of pieces are cut, at most the smallest radius; 0: half the smallest radius of each drawable */
  unsigned threads;    /**< 0 means 1; the file is the same for any number */
  bool with_obstacles; /**< also what of the rig and the obstacles is closed: rollers and bodies, each where it is in that frame */
} scr_surface_options;

/** What an exported surface consists of. */
typedef struct scr_surface_summary {
  uint64_t frame;       /**< its number, from 0 */
  double time;          /**< s */
  size_t surface_count; /**< pieces, instances and surfaces */
  size_t obstacle_count, triangle_count;
} scr_surface_summary;

/** The surfaces of a frame: a smooth skin around the points of every piece (core/geometry/surface.h), closed, manifold, facing outwards;
 *  every instance posed and blended from its modes; every deforming surface. Pieces are the points of a drawable with the same value of the
 *  field that it declares to number them; without one the drawable is piece 0.
 *  @param bytes   receives the file's content, to scr_free    @param summary may be NULL
 *  @return SCR_OK; SCR_BAD_USAGE for a frame that is not there, a cell out of range, nothing to make surfaces of, or too many triangles;
 *          SCR_BAD_FILE, SCR_IO, SCR_NO_MEMORY */
scr_status scr_export_surface(scr_recording *recording, const scr_surface_options *options, char **bytes, size_t *length,
                              scr_surface_summary *summary, scr_error *error);

/** Writes a file as a whole: temporary name, fsync, rename, fsync of the directory. */
scr_status scr_write_file(const char *path, const void *data, size_t size, scr_error *error);

#ifdef __cplusplus
}
#endif
#endif
