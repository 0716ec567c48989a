import { markerName } from './environment.js';

/** What bash calls the script in its own messages, and so in a log when the system refuses to execute a program. */
export const wardenName = 'autoresearch';

export const firstSlotFd = 3;

/** Ends the main shell in peace. A word arrives sooner than the end of file, which Node sends late. */
export const quitWord = 'q';

/** Every command is sent as a line of this many characters; what does not fit follows in a line of its own length. */
export const lineLength = 1024;

/** The name of the function that reads a line of a given length into `_ar_line`. */
export const readLine = '_ar_read';

/**
 * The warden: a small bash that starts commands for the runner and outlives it for a moment. Arguments: the runner's id
 * and the highest slot descriptor.
 *
 * The main shell reads descriptor 0, the lifeline. A line `<fd> <token>` opens a slot, `q` ends in peace. End of file
 * without it means that the runner died: everything it started is killed, by group and then by marker. A slot is a
 * subshell with a socket of its own. It always has one child that waits there for the next command, so that a command
 * costs no fork but only the `exec` in which it turns into the command. The slot answers with lines that begin with the
 * token, which no command and no error message of bash can know: `s` a child is there, `x` it failed before execution,
 * `e` it ended. With `p` the main shell says there which process the slot is. Lines without the token are what bash says by itself; from its words before an `e` we know whether a
 * signal came.
 *
 * A signal may take the child before it has read the command, and the next child must not run what nobody waits for. So
 * after a status that may mean a signal the slot goes on only when the runner says the token. Whatever else it finds in
 * the socket is a command that was never begun (`u`). Then it stays until the runner closes the socket: the runner may be
 * about to write, and in Node a failed write takes with it what was not read yet. What is left of the command's group
 * lives until the token: a shell dies of SIGTERM at once, but the program that it ran may need its time to save its work.
 * A child that cannot read any more ends with such a status too.
 *
 * Job control (`set -m`) gives each command a process group of its own and the usual signal handling. It also lets
 * `wait` come back when a command is merely halted, hence the loop after it; `wait -f`, made for that, spins for ever in
 * bash 5.2 when the command has ended already. The child is in parentheses because `exec` would count SHLVL down
 * without them, and `<&0` keeps bash from giving it an empty input. `read` makes a system call for each character unless
 * it is told how many will come, which it understands since bash 4.1. Everything here is meant to work from bash 3.2 on.
 * Variables begin with `_ar_`, because an exported variable of the user that had the same name would be changed.
 */
export const wardenScript = `
set -m
trap : PIPE
unset SHLVL
export -n OLDPWD

_ar_lost() {
  trap '' USR1 PIPE
  [ "$!" = "$_ar_old" ] || kill -9 -- "-$!" 2>&3
  exit
}

case $BASH_VERSION in
  [1-3].* | 4.0*) ${readLine}() { read -r _ar_line; } ;;
  *) ${readLine}() { read -r -N "$1" _ar_line; } ;;
esac

_ar_go() {
  ${readLine} ${lineLength} || exit 255
  eval "$_ar_line"
  echo "$1 x"
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
  while :; do
    (_ar_go "$1") <&0 &
    echo "$1 s $!"
    wait $!
    _ar_code=$?
    while [ $_ar_code -gt 128 ] && kill -0 $! 2>&3; do
      /bin/sleep 0.1
      wait $!
      _ar_code=$?
    done
    _ar_line=$1
    if [ $_ar_code -gt 128 ]; then
      echo "$1 e $_ar_code"
      read -r _ar_line
    fi
    kill -9 -- -$! 2>&3
    _ar_old=$!
    [ $_ar_code -gt 128 ] || echo "$1 e $_ar_code"
    [ "$_ar_line" = "$1" ] && continue
    echo "$1 u"
    while read -r _ar_line; do :; done
    exit
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

_ar_end_slots() {
  _ar_alive=
  for _ar_pid in $_ar_slots; do
    kill -USR1 "$_ar_pid" && _ar_alive=1
  done
}

_ar_slots=
while read -r _ar_fd _ar_token; do
  if [ "$_ar_fd" = ${quitWord} ]; then _ar_end_slots; wait; exit 0; fi
  _ar_slot "$_ar_token" "$2" <&"$_ar_fd" >&"$_ar_fd" 2>&"$_ar_fd" &
  _ar_slots="$_ar_slots $!"
  echo "$_ar_token p $!" >&"$_ar_fd"
  eval "exec $_ar_fd<&-"
done

for _ar_round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  _ar_end_slots
  _ar_sweep "$1"
  [ -z "$_ar_alive$_ar_found" ] && break
  /bin/sleep 0.05
done
`;
