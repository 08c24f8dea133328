import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { downloadJavaSdk } from '../install/downloads.ts';
import { withLock } from '../install/lock.ts';
import { missing } from '../install/missing-programs.ts';
import { type Report, announced, once, source } from '../install/prepare.ts';
import { findProgram, runProgram } from '../install/programs.ts';
import { stampOf } from '../install/stamp.ts';
import { enginesDirectory } from '../layout.ts';
import { javaSdkJars } from './java-sdk.ts';

/** Installs Unleash's SDK for Java. Only a test needs it, so `prepareEngines`, which must have run before, leaves it out. */
export async function prepareJavaSdk(report: Report = console.log): Promise<void> {
  const stamp = stampOf(path.join(javaSdkJars, '.prepared'), {
    files: [source('java-sdk/pom.xml'), source('java-sdk/jars.sha256')],
    texts: [],
  });
  await withLock(path.join(enginesDirectory, 'java-sdk.lock'), () =>
    once(stamp, async () => {
      if ((await findProgram('mvn')) === undefined) throw missing('mvn');
      await announced(report, "Unleash's SDK for Java from Maven Central (18 MB)", downloadJavaSdk);
    }),
  );
}

/** Compiles a program for the SDK into a folder. Returns the class path that runs it. */
export async function compileForJavaSdk(program: string, folder: string): Promise<string> {
  const names = (await readdir(javaSdkJars)).filter((name) => name.endsWith('.jar'));
  const jars = names.map((name) => path.join(javaSdkJars, name)).join(path.delimiter);
  const compiler = 'org.eclipse.jdt.internal.compiler.batch.Main';
  await runProgram('java', {
    args: ['-cp', jars, compiler, '-17', '-cp', jars, '-d', folder, program],
    timeoutMs: 120_000,
  });
  return [folder, jars].join(path.delimiter);
}
