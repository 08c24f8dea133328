/** The local stack: the engines that flagmeter needs, installed and run on one machine, for a trial, development and tests. */
export { parseVariables, shownAddress, type StackAddresses, writeVariables } from './processes/addresses.ts';
export {
  type ClickHouseOptions,
  servesData,
  startClickHouse,
  writeClickHouseConfig,
} from './engines/clickhouse.ts';
export type { EngineSettings } from './engines/engine-settings.ts';
export { type Engine, launchEngine } from './engines/engine.ts';
export { type EngineInspection, inspectStack, type StackInspection } from './processes/inspection.ts';
export { kafkaClassArchive, kafkaJars, type KafkaOptions, startKafka } from './engines/kafka.ts';
export { freePort, listenOnce } from './processes/free-port.ts';
export { type PostgresOptions, startPostgres } from './engines/postgres/postgres.ts';
export { findPostgresBinaries } from './engines/postgres/postgres-binaries.ts';
export { createDirectoryFor, findPostgresUser, giveTo } from './engines/postgres/postgres-user.ts';
export { answersOk, exchange } from './engines/probe.ts';
export {
  announced,
  DOWNLOAD_TIMEOUT_MS,
  installOnceLocked,
  LONGEST_INSTALLATION_MS,
  PLATFORM,
  type Report,
} from './install/install-once.ts';
export { javaProgram } from './install/java.ts';
export { withLock } from './install/lock.ts';
export { downloadJars } from './install/maven.ts';
export { installLocked } from './install/npm.ts';
export { unpackWheel } from './install/wheel.ts';
export {
  clickhousePackages,
  enginesDirectory,
  filesOf,
  filesOfStack,
  trialDirectory,
  userDirectory,
} from './layout.ts';
export { localSettings } from './local-settings.ts';
export { prepareEngines } from './prepare-engines.ts';
export { setNiceness } from './processes/niceness.ts';
export { readPasswords } from './processes/passwords.ts';
export { assertPortFree } from './processes/ports.ts';
export { PASSABLE, writePrivately } from './processes/private-files.ts';
export { findRecorded, isAlive, runPs, signalQuietly, stopRecorded } from './processes/processes.ts';
export { findProgram, runProgram } from './processes/programs.ts';
export { cleanStack, downStack, runStack, stopEnginesBelow, type UpOptions, upStack } from './stack.ts';
export { announce, firstSteps } from './serving/first-steps.ts';
export { launchFlagmeter } from './serving/flagmeter-process.ts';
export { serveLocally } from './serving/local.ts';
export { createSecrets, listOf } from './serving/local-secrets.ts';
export { choosePort } from './serving/port.ts';
export { aborted, runAtTerminal, RunError, unlessAborted } from './serving/terminal.ts';
export { removeTrial, runTrial } from './serving/trial.ts';
export { StackError, type StackErrorCode } from './stack-error.ts';
export { untilSignal } from './supervisor.ts';
