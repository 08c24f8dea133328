import { type LoadOptions, runLoad } from '#load';

/** Runs the loads that its parent asks for, one after the other: a process that stays is warm when it is measured. */
process.on('message', (options: LoadOptions) => {
  runLoad(options).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.once('disconnect', () => process.exit(1));
process.once('SIGTERM', () => process.exit(0));
process.send?.({ state: 'ready', url: '' });
