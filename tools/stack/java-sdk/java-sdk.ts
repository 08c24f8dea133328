import path from 'node:path';
import { enginesDirectory } from '#tooling/stack';

/** The jars of Unleash's SDK for Java, and of a compiler. */
export const javaSdkJars = path.join(enginesDirectory, 'java-sdk', 'jars');
