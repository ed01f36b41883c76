// What a process uses, and its end.

import { once } from 'node:events';
import { readdir, readFile, readlink } from 'node:fs/promises';

/** A tick of /proc/pid/stat, in seconds. */
const TICK = 0.01;
/** Time after which a process that does not end is killed, in milliseconds. */
const STOP_TIMEOUT = 60_000;

/**
 * A number in /proc/pid/status: `VmRSS` is the resident memory in KiB, and `RssAnon` the part of it
 * that is not a file's.
 */
export async function status(pid, field) {
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(await readFile(`/proc/${pid}/status`, 'utf8'))[1]);
}

/** What the open files are: paths, and sockets and pipes with their inodes. */
export async function openFiles(pid) {
  const folder = `/proc/${pid}/fd`;
  // One may be closed meanwhile.
  const files = (await readdir(folder)).map((file) => readlink(`${folder}/${file}`).catch(() => 'closed'));
  return await Promise.all(files);
}

/** Processor time of a process, and of its children that have ended, in seconds. */
export async function processor(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ').map(Number);
  return { own: TICK * (fields[11] + fields[12]), children: TICK * (fields[13] + fields[14]) };
}

/** Stops a process by SIGTERM, and waits until it has ended. */
export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT);
  await ended;
  clearTimeout(kill);
}
