-- AlterTable
ALTER TABLE "run" ADD COLUMN     "worker_level" SMALLINT NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "orchestration" ADD COLUMN     "worker_level" SMALLINT NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "target" ADD COLUMN     "active_for" SMALLINT;

-- AlterTable
ALTER TABLE "in_flight" ADD COLUMN     "hidden_lane_id" UUID,
ADD COLUMN     "worker_level" SMALLINT NOT NULL DEFAULT 1,
ALTER COLUMN "lane_id" DROP NOT NULL;

-- AlterTable
ALTER TABLE "rescore" ADD COLUMN     "worker_level" SMALLINT NOT NULL DEFAULT 1;

-- What the dispatchers of this release look for; those of the release before use target_lane_active.
CREATE INDEX "target_lane_active_for" ON "target" ("lane_id", "active_for") WHERE "active_for" IS NOT NULL;
-- One index of lanes, as before: the few rows are replaced all the time, and an upgrade can do without the other one.
CREATE INDEX "in_flight_lane" ON "in_flight" ((coalesce("lane_id", "hidden_lane_id")));
DROP INDEX "in_flight_lane_id_idx";
