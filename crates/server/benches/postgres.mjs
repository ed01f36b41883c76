// Databases of the throwaway PostgreSQL server.

import { execFileSync } from 'node:child_process';

/** Creates an empty database in place of one with the same name; returns its URL. */
export function recreate(server, name) {
  for (const statement of [`DROP DATABASE IF EXISTS ${name}`, `CREATE DATABASE ${name}`]) {
    execFileSync('psql', ['-q', `${server}/postgres`, '-c', statement]);
  }
  return `${server}/${name}`;
}
