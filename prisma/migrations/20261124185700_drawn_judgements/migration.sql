-- What people were given to label: few of the judgements of a report.
CREATE INDEX "judgement_drawn" ON "judgement"("report_id") WHERE "draw_probability" IS NOT NULL;
