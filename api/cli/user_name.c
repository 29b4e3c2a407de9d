#include "api/cli/user_name.h"

#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

void user_query(const cli_call *call, http_client *client, char query[USER_QUERY_BYTES])
{
  char record[4096], name[257];
  struct passwd entry, *found = NULL;
  const char *user = cli_text(call, "user");
  if (!user && getpwuid_r(geteuid(), &entry, record, sizeof record, &found) == 0 && found) user = found->pw_name;
  snprintf(name, sizeof name, "%s", user ? user : "");
  char *escaped = *name ? curl_easy_escape(client->handle, name, 0) : NULL; /* at most three characters of a byte */
  if (escaped)
    snprintf(query, USER_QUERY_BYTES, "user=%s", escaped);
  else
    query[0] = 0;
  curl_free(escaped);
}
