import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { FROM_SOURCES } from '../../../../tools/run/from-sources.ts';

const PROGRAM = 'packages/tooling/stack/supervisor-process.ts';

describe('the supervisor of the engines', () => {
  it('ends with the reason if an engine does not start, and records no process', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'flagmeter-supervisor-'));
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // an address is a string for pipes only
    const ports = [port, port, port].map(String);
    const args = [...FROM_SOURCES, PROGRAM, directory, '0', 'false', ...ports];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      let printed = '';
      child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
      expect(await once(child, 'close')).to.deep.equal([1, null]);
      expect(printed).to.match(new RegExp(`^failed: port ${port} for \\w+ is taken`, 'm'));
      expect(await readdir(path.join(directory, 'run'))).to.deep.equal([]);
    } finally {
      child.kill('SIGKILL');
      server.close();
      await rm(directory, { recursive: true, force: true });
    }
  });
});
