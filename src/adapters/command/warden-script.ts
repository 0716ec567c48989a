import { markerName } from './environment.js';

/** What bash calls the script in its own messages, and so in a log when the system refuses to execute a program. */
export const wardenName = 'autoresearch';

export const firstSlotFd = 3;

/** Said to a slot or to the main shell it ends them. A word arrives sooner than the end of file, which Node sends late. */
export const quitWord = 'q';

/**
 * The warden: a small bash that starts commands for the runner and outlives it for a moment. Arguments: the runner's id
 * and the highest slot descriptor.
 *
 * The main shell reads descriptor 0, the lifeline. A line `<fd> <token>` opens a slot, `q` ends in peace. End of file
 * without it means that the runner died: everything it started is killed, by group and then by marker. A slot is a
 * subshell that reads `<id> <code>` lines from its own socket and answers there with lines that begin with the token,
 * which no command and no error message of bash can know: `s` started, `x` failed before execution, `e` ended. Lines
 * without the token are what bash says by itself; from its words before an `e` we know whether a signal came.
 *
 * Job control (`set -m`) gives each command a process group of its own and the usual signal handling. A command's
 * subshell ends in `exec`, so it costs one fork. It also lets `wait` come back when a command is merely halted, hence
 * the loop after it; `wait -f`, made for that, spins for ever in bash 5.2 when the command has ended already.
 * Everything here is meant to work from bash 3.2 on. Variables begin with `_ar_`, because an
 * exported variable of the user that had the same name would be changed.
 */
export const wardenScript = `
set -m
trap : PIPE
unset SHLVL
export -n OLDPWD

_ar_lost() {
  [ "$!" = "$_ar_old" ] || kill -9 -- "-$!"
  exit
}

_ar_go() {
  eval "$_ar_line"
  echo "$1 x $_ar_id"
  exit 1
}

_ar_slot() {
  set -m
  _ar_fd=${firstSlotFd}
  while [ "$_ar_fd" -le "$2" ]; do
    eval "exec $_ar_fd<&-"
    _ar_fd=$((_ar_fd + 1))
  done
  exec 3>/dev/null
  trap _ar_lost USR1 PIPE
  _ar_old=$!
  while read -r _ar_id _ar_line && [ "$_ar_id" != ${quitWord} ]; do
    (_ar_go "$1") &
    echo "$1 s $_ar_id $!"
    wait $!
    _ar_code=$?
    while [ $_ar_code -gt 128 ] && kill -0 $! 2>&3; do
      /bin/sleep 0.1
      wait $!
      _ar_code=$?
    done
    kill -9 -- -$! 2>&3
    _ar_old=$!
    echo "$1 e $_ar_id $_ar_code"
  done
}

_ar_sweep() {
  _ar_found=
  for _ar_dir in /proc/[0-9]*; do
    while IFS= read -r -d '' _ar_entry; do
      case $_ar_entry in
        ${markerName}=*"$1".*) kill -9 "\${_ar_dir#/proc/}" && _ar_found=1 ;;
      esac
    done <"$_ar_dir/environ"
  done
}

_ar_slots=
while read -r _ar_fd _ar_token; do
  if [ "$_ar_fd" = ${quitWord} ]; then wait; exit 0; fi
  _ar_slot "$_ar_token" "$2" <&"$_ar_fd" >&"$_ar_fd" 2>&"$_ar_fd" &
  _ar_slots="$_ar_slots $!"
  echo "$_ar_fd $!" >&0
  eval "exec $_ar_fd<&-"
done

for _ar_round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  _ar_alive=
  for _ar_pid in $_ar_slots; do
    kill -USR1 "$_ar_pid" && _ar_alive=1
  done
  _ar_sweep "$1"
  [ -z "$_ar_alive$_ar_found" ] && break
  /bin/sleep 0.05
done
`;
