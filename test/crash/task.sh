# sh task.sh NAME KIND [INPUT…]: notes outside of the project that it ran, then writes NAME.txt from its inputs.
# KIND: pass; once: fails the first time; never: always fails; hold: waits for a flag `go-NAME`. A flag `kill-NAME` lets it kill the runner at its end.
name=$1 kind=$2
shift 2
echo "$name" >>"$CRASH_ROOM/log"
case $kind in
  once) [ -e "$CRASH_ROOM/failed-$name" ] || { : >"$CRASH_ROOM/failed-$name"; exit 3; } ;;
  never) exit 3 ;;
  hold) until [ -e "$CRASH_ROOM/go-$name" ]; do sleep 0.02; done ;;
esac
echo "made by $name" >"$name.txt"
[ $# -eq 0 ] || cat "$@" >>"$name.txt"
[ -e "$CRASH_ROOM/kill-$name" ] || exit 0
rm "$CRASH_ROOM/kill-$name"
kill -9 "$CRASH_RUNNER"
sleep 60
