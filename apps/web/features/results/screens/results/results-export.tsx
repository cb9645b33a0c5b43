import { inFileName, resultsQuery, type ResultsSearch } from '../../address';
import { EXPORT_FORMATS, exportPath } from '../../../runs/api/runs';
import { ExportAs } from '../../../../ui/export-as';

/** The filtered results, as a file. */
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
