/** Jobs on a server: reading one, following it to its end. */
#ifndef SCREE_API_CLI_SERVER_JOB_H
#define SCREE_API_CLI_SERVER_JOB_H

#include "api/cli/http_client.h"

/** Reads `ID` from an argument; says what is wrong with it. */
cli_exit server_job_id(const cli_call *call, const char *word, long long *id);

/** Reads --timeout, INFINITY without it. */
cli_exit server_job_timeout(const cli_call *call, double *timeout);

/** GET of a job into `*job` (new reference). */
cli_exit server_job_get(const cli_call *call, http_client *client, long long id, json_t **job);

/** Shows a job's progress until it ends. A server that goes away for less than a minute is waited for.
 *  @param timeout s, may be INFINITY    @param job receives the job as last seen (new reference, NULL if never)
 *  @return 0 succeeded, 8 succeeded with doubts, 1 failed, 5 cancelled, 6 time is up, 130 interrupted (both have been said), 3, 2 */
cli_exit server_job_follow(const cli_call *call, http_client *client, long long id, double timeout, json_t **job);

/** Prints how the job ended: its line, or with --json the job. Returns `code`. Takes the reference. */
cli_exit server_job_report(const cli_call *call, json_t *job, cli_exit code);

/** Brings the files that a job's method made into folders of a folder, each whole or not at all (server_job_files.c). */
cli_exit server_job_files(const cli_call *call, http_client *client, long long id, const char *directory);

/** Brings a job's results into a folder: scene.json, recording.scree (an interrupted download is continued), curves.csv, plot.svg, and what
 *  its method made. */
cli_exit server_job_fetch(const cli_call *call, http_client *client, long long id, const char *directory);

#endif
