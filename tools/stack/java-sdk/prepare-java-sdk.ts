import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { type Report, downloadJars, installOnceLocked, javaProgram, runProgram } from '#tooling/stack';
import { manifest } from '../manifests.ts';
import { javaSdkJars } from './java-sdk.ts';

/** Installs Unleash's SDK for Java. Only a test needs it, so `prepareEngines`, which must have run before, leaves it out. */
export async function prepareJavaSdk(report: Report = console.log): Promise<void> {
  const javaSdk = {
    what: "Unleash's SDK for Java from Maven Central (18 MB)",
    mark: path.join(javaSdkJars, '.prepared'),
    files: [manifest('java-sdk/pom.xml'), manifest('java-sdk/jars.sha256')],
    install: () => downloadJars(manifest('java-sdk'), javaSdkJars),
  };
  await installOnceLocked('java-sdk', javaSdk, report);
}

/** Compiles a program for the SDK into a folder. Returns the class path that runs it. */
export async function compileForJavaSdk(program: string, folder: string): Promise<string> {
  const names = (await readdir(javaSdkJars)).filter((name) => name.endsWith('.jar'));
  const jars = names.map((name) => path.join(javaSdkJars, name)).join(path.delimiter);
  const compiler = 'org.eclipse.jdt.internal.compiler.batch.Main';
  await runProgram(javaProgram, {
    args: ['-cp', jars, compiler, '-17', '-cp', jars, '-d', folder, program],
    timeoutMs: 120_000,
  });
  return [folder, jars].join(path.delimiter);
}
