/** SQL: the lane of the item `i` in flight. */
export const LANE_OF_ITEM = 'coalesce(i.lane_id, i.hidden_lane_id)';
