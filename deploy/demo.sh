#!/bin/sh
# Crushes a hollow grain on a screed of its own and says where the results are.
#   demo.sh start BUILD    the daemon goes on in the background when a person watches; otherwise (a pipe, CI=true) it is stopped at the end
#   demo.sh stop BUILD
set -eu
action=$1
build=$2
folder=$build/demo
pid_file=$folder/screed.pid
log=$folder/screed.log

# The number in the pid file may belong to another program by now: only a screed counts.
running() {
  [ -f "$pid_file" ] && pid=$(cat "$pid_file") && [ -n "$pid" ] && [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = screed ]
}

stop() {
  running || return 0
  kill "$pid"
  tries=0
  while running && [ "$tries" -lt 300 ]; do
    sleep 0.1
    tries=$((tries + 1))
  done
  rm -f "$pid_file"
}

# Starts screed on a port; false when it ended at once, for instance because another program has the port.
start_on() {
  : >"$log"
  setsid "$build/screed" --data "$folder/data" --port "$1" >"$log" 2>&1 </dev/null &
  started=$!
  echo "$started" >"$pid_file"
  tries=0
  while kill -0 "$started" 2>/dev/null && [ "$tries" -lt 100 ]; do
    url=$(sed -n 's|.*listening on \(http://[^/]*\)/.*|\1|p' "$log")
    [ -n "$url" ] && return 0
    sleep 0.1
    tries=$((tries + 1))
  done
  return 1
}

start() {
  for port in 8080 8081 8082 8083 8084 8085 8086 8087 8088 8089 0; do
    if start_on "$port"; then return 0; fi
  done
  echo "demo: screed did not start; its last words:" >&2
  tail -n 5 "$log" >&2
  exit 1
}

mkdir -p "$folder"
case "$action" in
stop)
  if running; then
    stop
    echo "The demo's screed has stopped."
  else
    echo "The demo's screed is not running."
  fi
  exit 0
  ;;
start) ;;
*)
  echo "usage: demo.sh start|stop BUILD" >&2
  exit 2
  ;;
esac

stop
rm -rf "$folder/output"
start
keep=yes
[ -t 1 ] && [ "${CI:-}" != true ] || keep=no
trap '[ "$keep" = yes ] || stop' EXIT
trap 'exit 130' INT TERM

link=$(sed -n 's|.*open \(http://[^ ]*\) in a browser.*|\1|p' "$log")
echo "Open $link in a browser to watch (once, within 15 minutes)"
# 8: done, with doubts, which it has told
"$build/scree" submit gallery:hollow-sphere-crush --server "$url" -o "$folder/output" || [ $? -eq 8 ]
echo
echo "The force-displacement curve:  $folder/output/plot.svg"
echo "All curves:                    $folder/output/curves.csv"
echo "The recording:                 $folder/output/recording.scree"
if [ "$keep" = yes ]; then
  echo "The dashboard:                 \`$build/scree link --server $url\` prints a link to it"
  echo
  echo "screed goes on in the background; \`make demo-stop\` stops it."
else
  echo "The dashboard:                 \`make run\`, then the link it prints"
fi
