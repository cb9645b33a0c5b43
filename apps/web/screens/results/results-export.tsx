import { filterParts, resultsQuery, type ResultsSearch } from '../../address/results';
import { EXPORT_FORMATS, exportPath } from '../../api/runs';
import { ExportAs } from '../../parts/export-as';

const MAX_NAME = 120;

/** The filter as a part of a file name: "-error-wrong-tool-model-sim-odd". */
export const inFileName = (search: ResultsSearch): string =>
  filterParts(search)
    .map(({ words }) => `-${(words.match(/[\w.]+/g) ?? []).join('-')}`)
    .join('')
    .slice(0, MAX_NAME);

/** The results that the filter leaves, as a file. */
export function ResultsExport({ runId, search }: { runId: string; search: ResultsSearch }) {
  const filter = resultsQuery(search);
  filter.delete('order');
  return (
    <ExportAs
      files={EXPORT_FORMATS.map(([format, name, extension]) => ({
        format,
        name,
        path: [exportPath(runId, format), ...(filter.size > 0 ? [String(filter)] : [])].join('&'),
        fileName: `toolmark-${runId}${inFileName(search)}.${extension}`,
      }))}
    />
  );
}
