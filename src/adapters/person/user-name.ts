import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';

/** The operating system's name for whoever runs this. Variables such as USER say what anybody likes. */
export function ownUserName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user that the system has a number for and no name.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

export function userNameOf(uid: number): string {
  if (uid === process.getuid?.()) return ownUserName();
  try {
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((entry) => entry.split(':')[2] === String(uid));
    return line?.split(':')[0] ?? `uid ${uid}`;
  } catch {
    return `uid ${uid}`;
  }
}
