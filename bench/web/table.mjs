// The figures of a tab as a table row.
export const TAB_HEAD =
  'part           seconds  % of a core: tasks  scripts  layout  renderer  browser   longest task, ms: clock    CPU';

const percent = (share, width) => (share * 100).toFixed(1).padStart(width);

export function printTab(name, { seconds, tasks, scripts, layout, cpu, cpuOfBrowser, longest, slowScripts }) {
  console.log(
    `${name.padEnd(13)}  ${seconds.toFixed(1).padStart(7)}  ${percent(tasks, 18)}  ${percent(scripts, 7)}  ` +
      `${percent(layout, 6)}  ${percent(cpu, 8)}  ${percent(cpuOfBrowser, 7)}   ` +
      `${longest.ms.toFixed(0).padStart(23)}  ${longest.cpuMs.toFixed(0).padStart(5)}`,
  );
  for (const { invoker, sourceURL, duration } of slowScripts)
    console.log(`  a script of ${duration} ms by the clock: ${invoker} ${sourceURL}`);
}
