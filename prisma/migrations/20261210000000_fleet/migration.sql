-- Unlogged: what a crash of Postgres loses here, the workers write again within seconds.
-- CreateTable
CREATE UNLOGGED TABLE "worker" (
    "id" TEXT NOT NULL,
    "level" SMALLINT NOT NULL,
    "has_redis" BOOLEAN NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "worker_pkey" PRIMARY KEY ("id")
) WITH (fillfactor = 50);

-- CreateTable
CREATE UNLOGGED TABLE "served" (
    "key" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "served_pkey" PRIMARY KEY ("key")
) WITH (fillfactor = 50);

-- The levels of each lane's items are read from the index, one probe per lane and level.
CREATE INDEX "in_flight_lane_level" ON "in_flight" ((coalesce("lane_id", "hidden_lane_id")), "worker_level");
DROP INDEX "in_flight_lane";
