import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The links in the mails to an address, oldest mail first: a fresh installation writes each mail to
 * a file.
 */
export async function mailedLinks(folder: string, to: string): Promise<string[]> {
  return (await mailsTo(folder, to)).flatMap(linksIn);
}

/** The sources of the mails to an address, oldest first. */
export async function mailsTo(folder: string, to: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.eml')).sort();
  const mails = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return mails.filter((mail) => mail.includes(`To: ${to}\r\n`));
}

/** Of the plain text, in which quoted-printable has broken the lines. */
function linksIn(mail: string): string[] {
  const [text = ''] = mail.split('text/html');
  const unbroken = text.replaceAll('=\r\n', '').replaceAll('=3D', '=');
  return unbroken.match(/https?:\/\/\S+\?[\w%&=.*+-]*[\w-]/g) ?? [];
}
