/* The compiler: a source becomes a library of this processor by cc, with a function for each kernel that goes through all items. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OUT_OF_MEMORY = 1, INVALID_INPUT = 3, INVALID_PROGRAM = 4, INVALID_OPTION = 5, COMPILATION = 6, TEXT = 4096 };

typedef struct program {
  char *source;
  char image[TEXT], log[TEXT];
} program;

static int newest = 90, failing;
static char architecture[32];

void played_compile_for(int most)
{
  newest = most;
}

void played_break_compiler(int code)
{
  failing = code;
}

const char *played_architecture(void)
{
  return architecture;
}

static const char before[] = "#include <math.h>\n#include <stddef.h>\n#include <string.h>\n"
                             "#define __global__\n#define __device__\n"
                             "static _Thread_local struct { unsigned x; } blockIdx, threadIdx, blockDim;\n"
                             "static inline double __longlong_as_double(long long b) { double d; memcpy(&d, &b, 8); return d; }\n"
                             "static inline long long __double_as_longlong(double d) { long long b; memcpy(&b, &d, 8); return b; }\n";

int nvrtcCreateProgram(program **made, const char *source, const char *name, int headers, const char *const *header,
                       const char *const *included)
{
  (void)name, (void)header, (void)included;
  if (!source || headers != 0) return INVALID_INPUT;
  program *p = calloc(1, sizeof *p);
  if (!p) return OUT_OF_MEMORY;
  p->source = strdup(source);
  if (!p->source) return free(p), OUT_OF_MEMORY;
  for (char *at; (at = strstr(p->source, "extern \"C\"")) != NULL;) memset(at, ' ', strlen("extern \"C\"")); /* cc takes it for C */
  *made = p;
  return 0;
}

int nvrtcDestroyProgram(program **ended)
{
  if (!ended || !*ended) return INVALID_PROGRAM;
  free((*ended)->source);
  free(*ended);
  *ended = NULL;
  return 0;
}

/* One argument as the wrapper takes it: its type is all but its last word. */
static void add_argument(FILE *to, const char *text, size_t length, int number)
{
  const char *end = text + length;
  while (end > text && end[-1] == ' ') end--;
  while (end > text && end[-1] != ' ' && end[-1] != '*') end--;
  fprintf(to, "%s*(%.*s *)a[%d]", number ? ", " : "", (int)(end - text), text, number);
}

static void add_kinds(FILE *to, const char *text, const char *close)
{
  for (const char *end; text < close; text = end + 1) {
    end = memchr(text, ',', (size_t)(close - text));
    if (!end) end = close;
    bool array = memchr(text, '*', (size_t)(end - text)) != NULL;
    fputc(array ? 'p' : 'v', to);
  }
}

/* For each kernel a function that runs it over a grid, and the kinds of its arguments. */
static void add_runners(FILE *to, const char *source)
{
  static const char word[] = "KERNEL void ";
  for (const char *at = strstr(source, word); at; at = strstr(at + 1, word)) {
    const char *name = at + strlen(word), *open = strchr(name, '('), *close = open ? strchr(open, ')') : NULL;
    if (!close) return;
    int length = (int)(open - name), number = 0;
    fprintf(to, "const char *const played_kinds_%.*s = \"", length, name);
    add_kinds(to, open + 1, close);
    fprintf(to, "\";\nvoid played_run_%.*s(void **a, unsigned grid, unsigned block)\n{\n  blockDim.x = block;\n", length, name);
    fprintf(to,
            "  for (blockIdx.x = 0; blockIdx.x < grid; blockIdx.x++)\n    for (threadIdx.x = 0; threadIdx.x < block; threadIdx.x++) %.*s(",
            length, name);
    for (const char *text = open + 1, *end; text < close; text = end + 1) {
      end = memchr(text, ',', (size_t)(close - text));
      if (!end) end = close;
      add_argument(to, text, (size_t)(end - text), number++);
    }
    fprintf(to, ");\n}\n");
  }
}

static bool write_source(const program *p, const char *path)
{
  FILE *to = fopen(path, "w");
  if (!to) return false;
  fprintf(to, "%s%s\n", before, p->source);
  add_runners(to, p->source);
  return fclose(to) == 0;
}

static void take_log(program *p, const char *path)
{
  FILE *from = fopen(path, "r");
  size_t size = from ? fread(p->log, 1, sizeof p->log - 1, from) : 0;
  p->log[size] = '\0';
  if (from) fclose(from);
}

/* gcc fuses products from -O2 on. @return NVRTC's code */
static int compile(program *p, bool fuse)
{
  const char *temporary = getenv("TMPDIR");
  char base[256], source[300], library[300], log[300], command[2048];
  snprintf(base, sizeof base, "%.200s/played-cuda-XXXXXX", temporary ? temporary : "/tmp");
  int file = mkstemp(base);
  if (file < 0) return OUT_OF_MEMORY;
  close(file);
  snprintf(source, sizeof source, "%s.c", base);
  snprintf(library, sizeof library, "%s.so", base);
  snprintf(log, sizeof log, "%s.log", base);
  snprintf(command, sizeof command, "cc -std=c17 -w -O2 -march=native -ffp-contract=%s -fPIC -shared -o %s %s -lm >%s 2>&1",
           fuse ? "fast" : "off", library, source, log);
  bool done = write_source(p, source) && system(command) == 0; /* NOLINT(cert-env33-c): what a compiler does */
  take_log(p, log);
  unlink(source), unlink(log), unlink(base);
  snprintf(p->image, sizeof p->image, "// played %s\n", library);
  return done ? 0 : COMPILATION;
}

int nvrtcCompileProgram(program *p, int count, const char *const *options)
{
  bool fuse = true;
  int wanted = 0;
  if (!p) return INVALID_PROGRAM;
  if (failing) {
    int code = failing;
    failing = 0;
    return code;
  }
  for (int k = 0; k < count; k++) {
    if (strcmp(options[k], "--fmad=false") == 0)
      fuse = false;
    else if (sscanf(options[k], "--gpu-architecture=compute_%d", &wanted) != 1)
      return INVALID_OPTION;
  }
  if (wanted < 50 || wanted > newest) {
    snprintf(p->log, sizeof p->log, "nvrtc: error: invalid value for --gpu-architecture (-arch)\n");
    return INVALID_OPTION;
  }
  snprintf(architecture, sizeof architecture, "compute_%d", wanted);
  return compile(p, fuse);
}

int nvrtcGetProgramLogSize(program *p, size_t *size)
{
  *size = strlen(p->log) + 1;
  return 0;
}

int nvrtcGetProgramLog(program *p, char *log)
{
  strcpy(log, p->log);
  return 0;
}

int nvrtcGetPTXSize(program *p, size_t *size)
{
  *size = strlen(p->image) + 1;
  return p->image[0] ? 0 : INVALID_PROGRAM;
}

int nvrtcGetPTX(program *p, char *ptx)
{
  strcpy(ptx, p->image);
  return 0;
}
