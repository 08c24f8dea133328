export type Origin = {
  /** Host and path, for example `github.com/acme/shop`. */
  readonly name: string;
  /** The address of a line of a file at the host, with {commit}, {path} and {line}. */
  readonly link: string;
};

/** `https://user:secret@host:8443/acme/shop.git`, `ssh://git@host/acme/shop` or `git@host:acme/shop.git`. */
const ADDRESS =
  /^(?:(?:https?|ssh|git):\/\/)?(?:[^@/\s]*@)?([a-z0-9.-]+)(?::\d{1,5}(?=\/))?[:/]\/?([\w.~/-]+?)(?:\.git)?\/?$/i;

/** Undefined for a path of this machine. Users and secrets in the address are left out. */
export function originOf(address: string): Origin | undefined {
  const match = /^[./]|^file:/.test(address) ? null : ADDRESS.exec(address);
  if (match === null) return undefined;
  const [, host = '', path = ''] = match;
  const name = `${host.toLowerCase()}/${path}`;
  return { name, link: `https://${name}${linkOf(host)}` };
}

/** GitHub and what resembles it, such as Gitea, know `/blob/` or lead there. */
function linkOf(host: string): string {
  if (/bitbucket/i.test(host)) return '/src/{commit}/{path}#lines-{line}';
  if (/gitlab/i.test(host)) return '/-/blob/{commit}/{path}#L{line}';
  if (/gitea|forgejo|codeberg/i.test(host)) return '/src/commit/{commit}/{path}#L{line}';
  return '/blob/{commit}/{path}#L{line}';
}
