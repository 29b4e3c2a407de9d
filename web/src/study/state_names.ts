/** What the states of studies and of their rows are called on the page. A state that a newer server has goes by its own name. */
import * as english from "../english/study.js";
import type { RowState, StudyState } from "./requests.js";

const STUDIES: Record<StudyState, string> = { running: english.state.running, stopped: english.state.stopped, finished: english.state.finished, deleting: english.state.deleting };
const ROWS: Record<RowState, string> = {
  waiting: english.state.waiting, running: english.state.running, succeeded: english.state.succeeded, failed: english.state.failed, cancelled: english.state.cancelled, refused: english.state.refused,
};

export const studyStateName = (state: StudyState): string => STUDIES[state] ?? state;
export const rowStateName = (state: RowState): string => ROWS[state] ?? state;
