"""How slow a server may be before the transfer is aborted."""

import unittest

from bindery.pace import SECOND_LOOK, Deadline, Pace, TooSlow


class Paces(unittest.TestCase):
    def test_who_stands_still_is_too_slow_after_the_window_and_a_second_look(self):
        pace = Pace(1_024, 20)
        self.assertEqual(pace.patience(), 20)
        pace.moved(0, 20)
        self.assertEqual(pace.patience(), SECOND_LOOK)
        pace.moved(0, SECOND_LOOK)
        self.assertRaises(TooSlow, pace.patience)

    def test_drops_do_not_keep_it_off_for_ever(self):
        for drop in [1, 500, 1_023]:
            pace, now, due = Pace(1_024, 20), 0.0, 1.0
            with self.assertRaises(TooSlow):
                while now < 100_000:
                    wait = min(pace.patience(), due - now)
                    now += wait
                    pace.moved(drop if now >= due else 0, wait)
                    due += now >= due
            self.assertGreaterEqual(now, 20)

    def test_the_least_rate_is_enough_and_a_process_that_stood_still_is_forgiven(self):
        pace = Pace(1_024, 20)
        for _ in range(1_000):
            pace.patience()
            pace.moved(2_048, 2)
        pace.moved(0, 3_600)
        pace.patience()
        pace.moved(100_000, 0.1)
        self.assertEqual(pace.patience(), 20)

    def test_no_rate_is_no_bound_and_a_deadline_moves_for_nothing(self):
        pace = Pace(None, 20)
        pace.moved(0, 3_600)
        self.assertIsNone(pace.patience())
        deadline = Deadline(0)
        deadline.moved(10**9, 0)
        self.assertRaises(TooSlow, deadline.patience)


if __name__ == "__main__":
    unittest.main()
