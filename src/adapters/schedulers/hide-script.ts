/**
 * Runs a command and lets no value of a secret into its logs, where there is nobody but the job itself: on nodes of clusters.
 * Arguments: names of variables, `--`, the command. What it prints comes through two pipes; the logs are our own standard output
 * and error. It answers with the command's own exit code, or what a shell makes of a signal.
 *
 * In perl, because that is on nearly every node and in nearly every image. It is the same search as `model/secret-finder`, with the
 * same forms as `model/secret-forms`; test/adapters/schedulers/hide-script.test.ts holds the two against each other.
 *
 * It leaves the group of the job, so that what is meant for the command does not reach it: it ends when nobody can write to it any
 * more. Who keeps a pipe open after the command's end is listened to by a copy of it, and waited for by nobody.
 */
export const hideScript = String.raw`
use strict; use warnings; use POSIX (); use Fcntl; use MIME::Base64 ();
my @names; while (@ARGV) { my $n = shift @ARGV; last if $n eq "--"; push @names, $n }
my %mark; my @all;
sub hex2 { return unpack "H*", shift }
sub uesc { my ($t, $what) = @_; utf8::decode(my $c = $t);
  $c =~ s/($what)/my $o = ord $1; $o < 65536 ? sprintf("\\u%04x", $o) : sprintf("\\u%04x\\u%04x", 55296 + (($o - 65536) >> 10), 56320 + (($o - 65536) & 1023))/gse;
  utf8::encode($c); return $c }
sub json { my $j = shift; $j =~ s/(["\\])/\\$1/g; my %s = ("\b", "b", "\f", "f", "\n", "n", "\r", "r", "\t", "t");
  $j =~ s/([\x00-\x1f])/defined $s{$1} ? "\\" . $s{$1} : sprintf("\\u%04x", ord $1)/ge; return $j }
sub slash { my $t = shift; $t =~ s!/!\\/!g; return $t }
sub jforms { my $t = shift; my $p = json($t); my $ascii = qr/[^\x20-\x7e]/; my $a = uesc($p, $ascii);
  my $w = uesc($p, qr/[<>&\x{2028}\x{2029}]/); my $e = length $t > 16384 ? $a : uesc($t, qr/./s);
  my @f = ($p, $a, $w, uesc($w, $ascii), slash($p), slash($a), $e);
  for my $x ($a, $e) { (my $u = $x) =~ s/\\u(....)/"\\u" . uc $1/ge; push @f, $u } return map { ($_, json($_)) } @f }
sub pforms { my $t = shift; my $every = length $t > 16384 ? "" : hex2($t); $every =~ s/(..)/%$1/g; my @f = ($every, uc $every);
  (my $u = $t) =~ s/([^A-Za-z0-9\-_.!~*'()])/sprintf("%%%02X", ord $1)/ge; return @f if $u eq $t;
  (my $v = $u) =~ s/([!'()*])/sprintf("%%%02X", ord $1)/ge;
  for my $e ($u, $v) { (my $l = $e) =~ s/(%..)/lc $1/ge; (my $p = $e) =~ s/%20/+/g; push @f, $e, $l, $p }
  return @f }
sub esc { my $t = shift; return ($t, jforms($t), pforms($t)) }
sub xforms { my $t = shift; my $h = hex2($t); return ($h, uc $h) if length $t > 16384; (my $s = $h) =~ s/(..)/\\x$1/g; (my $u = $s) =~ tr/a-f/A-F/;
  return ($h, uc $h, $s, $u, json($s), json($u), length $h > 60 ? grep { length >= 8 } unpack("(A60)*", $h) : ()) }
sub b64 { my $t = shift; my $a = MIME::Base64::encode_base64($t, ""); (my $b = $a) =~ s/=+$//; my @f = ($a, $b);
  for my $n (0, 1, 2) { my $p = ("\0" x $n) . $t; my $w = int(length($p) * 8 / 6); my $from = $n ? $n + 1 : 0;
    my $i = $w > $from ? substr(MIME::Base64::encode_base64($p, ""), $from, $w - $from) : ""; push @f, $i;
    next if $n || length $i > 16384;
    for my $k (76, 64) { next if length $i <= $k; push @f, grep { length >= 8 } unpack("(A$k)*", $i) } }
  return map { (my $x = $_) =~ tr!+/!-_!; ($_, $x) } @f }
sub trim { my $t = shift; $t =~ s/^\s+//; $t =~ s/\s+$//; return $t }
sub forms { my $v = shift; my @f; for my $t ($v, trim($v)) { push @f, esc($t), b64($t), xforms($t) }
  if ($v =~ /\n/) { for my $l (map { trim($_) } split /\r?\n/, $v) { push @f, esc($l) if length $l >= 8 && $l !~ /^-----/ } }
  return grep { length >= 6 } @f }
my @between = ("=", "=\"", "='", "=\\\"", " = ", " = \"", " = '", " ", ": ", ":", ": \"", ": '", "\":\"", "\": \"", "\" : \"", "':'", "': '", "\\\":\\\"", "\\\": \\\"", "\" => \"", "\"=>\"");
sub short { my ($n, $v) = @_; my $t = trim($v); my $m = "[secret $n]"; my %f; return %f if $t eq ""; (my $d = lc $n) =~ tr/_/-/;
  for my $w ($n, lc $n, $d) { for my $b (@between) { for my $x ($v, $t, json($t)) { $f{$w . $b . $x} = $w . $b . $m } } }
  if (chars($t) >= 4) { $f{":" . $t . chr 64} = ":" . $m . chr 64; $f{"Bearer $t"} = "Bearer $m"; $f{$_} = $m for grep { chars($_) >= 8 } forms($t) }
  return map { ($_, $f{$_}) } grep { chars($_) >= 6 } keys %f }
sub chars { my $c = shift; utf8::decode($c); return length $c }
for my $n (@names) { my $v = $ENV{$n}; next unless defined $v; my @parts;
  if (chars($v) < 6) { my %s = short($n, $v); for (keys %s) { $mark{$_} = $s{$_} unless exists $mark{$_} } next }
  while ($v =~ m!\b([a-z][a-z0-9+.-]{0,20})://([^\s/?#]{1,2000})@!gi) { my ($s, $w) = ($1, $2); $s =~ s/^.*\+//;
    next unless $w =~ /:/ || $s =~ /^https?$/i; push @parts, $w, $w =~ /^[^:]*:(.*)$/s ? $1 : $w }
  push @parts, map { (my $d = $_) =~ s/%([0-9a-f]{2})/chr hex $1/gie; $d } @parts;
  for my $p ($v, @parts) { for my $f (forms($p)) { $mark{$f} = "[secret $n]" unless exists $mark{$f} } } }
my %real = %mark; $mark{$_} = $_ for values %real;
@all = sort { length $b <=> length $a } keys %mark; my $longest = @all ? length $all[0] : 0;
my %by; push @{$by{substr $_, 0, 6}}, $_ for @all; my $heads = %by ? join "|", map { quotemeta } keys %by : "(?!)"; $heads = qr/$heads/;
sub unsure { my $t = shift; my $n = length $$t; my $from = $n - $longest + 1; pos($$t) = $from < 0 ? 0 : $from;
  while ($$t =~ /$heads/g) { my $i = $-[0]; my $l = $n - $i; my $front = substr $$t, $i;
    for (@{$by{substr $$t, $i, 6}}) { return $i if length > $l && substr($_, 0, $l) eq $front } pos($$t) = $i + 1 }
  for (my $i = $n < 5 ? 0 : $n - 5; $i < $n; $i++) { my $front = substr $$t, $i;
    for (@all) { return $i if substr($_, 0, $n - $i) eq $front } }
  return $n }
sub cut { my ($t, $sure) = @_; my ($out, $at) = ("", 0); pos($$t) = 0;
  while ($$t =~ /$heads/g) { my $i = $-[0]; last if $i >= $sure; my $found;
    for (@{$by{substr $$t, $i, 6}}) { if (substr($$t, $i, length) eq $_) { $found = $_; last } }
    if (!defined $found) { pos($$t) = $i + 1; next }
    $out .= substr($$t, $at, $i - $at) . $mark{$found}; $at = $i + length $found; pos($$t) = $at }
  my $until = $at > $sure ? $at : $sure; return ($out . substr($$t, $at, $until - $at), substr $$t, $until) }
my @streams; for my $fd (1, 2) { pipe my $r, my $w or die "pipe: $!"; push @streams, { r => $r, w => $w, to => $fd, held => "" } }
my $pid = fork; defined $pid or die "fork: $!";
if (!$pid) { for (@streams) { POSIX::dup2(fileno $_->{w}, $_->{to}) } { no warnings; exec {$ARGV[0]} @ARGV }
  my $no = $! == POSIX::ENOENT() ? 127 : 126; print STDERR "$ARGV[0]: $!\n"; POSIX::_exit($no) }
$SIG{$_} = "IGNORE" for qw(INT TERM HUP PIPE USR1 USR2); $SIG{CHLD} = sub {}; POSIX::setsid();
for (@streams) { close $_->{w}; fcntl $_->{r}, F_SETFL, O_NONBLOCK }
sub put { my ($s, $text) = @_; while (length $text) { my $n = POSIX::write($s->{to}, $text, length $text);
  if (!defined $n) { next if $! == POSIX::EINTR(); close $s->{r}; $s->{over} = $s->{lost} = 1; return } substr($text, 0, $n) = "" } }
sub take { my $s = shift; my $n = sysread $s->{r}, my $buf, 65536;
  if (!defined $n) { return 0 if $! == POSIX::EAGAIN() || $! == POSIX::EINTR(); $n = 0 }
  if ($n) { my $t = $s->{held} . $buf; (my $done, $s->{held}) = cut(\$t, unsure(\$t)); put($s, $done); return 1 }
  my $t = $s->{held}; my ($done) = cut(\$t, length $t);
  if (length $t >= 6) { for (@all) { if (exists $real{$_} && $mark{$_} =~ /^\[secret / && length > length $t && substr($_, 0, length $t) eq $t) { $done = $mark{$_}; last } } }
  put($s, $done); $s->{over} = 1; close $s->{r}; return 0 }
my ($ended, $status) = (0, 0);
while (grep { !$_->{over} } @streams) {
  if (!$ended) { my $got = waitpid $pid, POSIX::WNOHANG(); if ($got == $pid) { ($ended, $status) = (1, $?) }
    if ($ended) { for my $s (@streams) { my $n = 0; 1 while !$s->{over} && $n++ < 1024 && take($s) }
      last unless grep { !$_->{over} } @streams; my $copy = fork; last if !defined $copy || $copy } }
  my $set = ""; for (@streams) { vec($set, fileno $_->{r}, 1) = 1 unless $_->{over} }
  select my $ready = $set, undef, undef, $ended ? undef : 0.2;
  for (@streams) { take($_) if !$_->{over} && vec($ready, fileno $_->{r}, 1) } }
if (!$ended) { 1 while waitpid($pid, 0) == -1 && $! == POSIX::EINTR(); $status = $? }
my $code = $status & 127 ? 128 + ($status & 127) : $status >> 8;
POSIX::_exit($code == 0 && grep({ $_->{lost} } @streams) ? 98 : $code);
`;
