/** Files compiled into the program: the dashboard, the gallery, the OpenAPI document and the store's migrations.
 *
 *  deploy/embed.py makes the table at build time. Names never contain a path of the building machine:
 *    "web/index.html", "gallery/hollow-sphere-crush.json", "openapi.json", "migrations/0001_jobs.sql"
 *  All functions may be called from any thread; everything returned is constant and lives as long as the program. */
#ifndef SCREE_SERVER_EMBEDDED_H
#define SCREE_SERVER_EMBEDDED_H

#include <stddef.h>

typedef struct embedded_file {
  const char *path;          /**< name to look it up by, no leading slash */
  const unsigned char *data; /**< [size], followed by a zero byte that `size` does not count */
  size_t size;               /**< bytes */
  const char *etag;          /**< strong entity tag with its quotes, from the content's SHA-256 */
  const char *type;          /**< media type, e.g. "text/html; charset=utf-8" */
  const unsigned char *gzip; /**< [gzip_size] the same bytes by gzip (RFC 1952); NULL where that saves less than a tenth */
  size_t gzip_size;          /**< bytes; 0 where there is none */
  const char *gzip_etag;     /**< strong entity tag of the compressed form, with its quotes; NULL where there is none */
} embedded_file;

/** The asset of exactly this name, NULL if there is none. */
const embedded_file *embedded_find(const char *path);

/** The assets whose names begin with `prefix` ("gallery/"; "" for all), in byte order of their names.
 *  @param count receives how many    @return the first of them, an array of `count`; NULL when there is none */
const embedded_file *embedded_under(const char *prefix, size_t *count);

#endif
