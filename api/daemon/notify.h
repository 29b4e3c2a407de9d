/** Telling systemd how the daemon is (the sd_notify protocol, one datagram each). Does nothing when systemd did not start it. */
#ifndef SCREE_API_DAEMON_NOTIFY_H
#define SCREE_API_DAEMON_NOTIFY_H

/** Sends e.g. "READY=1" or "STOPPING=1" to $NOTIFY_SOCKET. */
void daemon_notify(const char *message);

/** Seconds between the watchdog pings systemd wants, half of its limit; 0: it wants none. */
double daemon_watchdog_seconds(void);

#endif
