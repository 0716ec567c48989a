import { spawnSync } from 'node:child_process';
import { lstatSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';

/** As a program that tidies up the disk: anybody may do it to files of their own, and none of their dates changes. */
const script = `
import fcntl, os, struct, sys
victim, other = (os.open(path, os.O_RDWR) for path in sys.argv[1:3])
for fd in (victim, other): os.fsync(fd)
fcntl.ioctl(other, 0xC028660F, bytearray(struct.pack('=IIQQQQ', 0, victim, 0, 0, 1, 0)))
for fd in (victim, other): os.fsync(fd)
for fd in (victim, other): os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
`;

/** Only on ext4, whose numbers are these; other disks have other ways. */
export const canExchangeUnseen = (folder: string): boolean =>
  process.platform === 'linux' && statfsSync(folder).type === 0xef53 && spawnSync('python3', ['-V']).status === 0;

/** Gives a file another content with the same size, inode, mode and dates, to the nanosecond. */
export function exchangeUnseen(file: string, spare: string): void {
  const look = () => {
    const { ino, size, mode, mtimeNs, ctimeNs } = lstatSync(file, { bigint: true });
    return [ino, size, mode, mtimeNs, ctimeNs].join();
  };
  const [before, text] = [look(), readFileSync(file)];
  writeFileSync(spare, Buffer.alloc(text.length, 'x'));
  const said = spawnSync('python3', ['-c', script, file, spare], { encoding: 'utf8' });
  if (said.status !== 0) throw new Error(said.stderr);
  if (look() !== before) throw new Error('this was seen');
  if (readFileSync(file).equals(text)) throw new Error('nothing was exchanged');
}
