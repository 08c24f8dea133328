import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../stack/index.ts';

export type Nginx = { readonly url: string; stop(): Promise<void> };

export type NginxOptions = {
  readonly binary: string;
  readonly upstream: string;
  readonly directory: string;
};

const READY_DEADLINE_MS = 5000;

/** The split of docs/use/adopt.md with one worker process, as flagmeter has one; undefined if there is no such program. */
export async function launchNginx({ binary, upstream, directory }: NginxOptions): Promise<Nginx | undefined> {
  const prefix = path.join(directory, 'nginx');
  const port = await freePort();
  await mkdir(prefix, { recursive: true });
  await writeFile(path.join(prefix, 'nginx.conf'), configOf(new URL(upstream).host, port));
  const args = ['-p', prefix, '-c', 'nginx.conf', '-e', 'error.log', '-g', 'daemon off;'];
  const child = spawn(binary, args, { stdio: 'ignore' });
  if (!(await isStarted(child))) return undefined;
  const ended = once(child, 'exit');
  await untilListening(port);
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function isStarted(child: ChildProcess): Promise<boolean> {
  try {
    await once(child, 'spawn');
    return true;
  } catch {
    return false; // no such program
  }
}

async function untilListening(port: number): Promise<void> {
  const deadline = Date.now() + READY_DEADLINE_MS;
  for (;;) {
    try {
      await fetch(`http://127.0.0.1:${port}/`);
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(50);
    }
  }
}

function configOf(upstream: string, port: number): string {
  return `
worker_processes 1;
pid nginx.pid;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  upstream unleash { server ${upstream}; keepalive 64; }
  server {
    listen 127.0.0.1:${port};
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    location ~ ^/(edge|api/client/(metrics(/bulk)?|register)|api/frontend/client/metrics)$ { return 503; }
    location / { proxy_pass http://unleash; }
  }
}
`;
}
