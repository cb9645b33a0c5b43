import { EXPORT_FORMATS, exportPath } from '../../api/runs';
import { ExportAs } from '../../../../ui/export-as';

/** A run as a file, in each format. */
export function RunExport({ runId }: { runId: string }) {
  return (
    <ExportAs
      files={EXPORT_FORMATS.map(([format, name, extension]) => ({
        format,
        name,
        path: exportPath(runId, format),
        fileName: `toolmark-${runId}.${extension}`,
      }))}
    />
  );
}
