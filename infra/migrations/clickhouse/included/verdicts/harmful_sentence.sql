        concat(
            'Since ', formatDateTime(since, '%F %R UTC'), ' the arm ', isolated(worst.2), ' has ', toString(round(worst.5, 3)), ' ', isolated(worst.1.metric),
            if(worst.1.above is null, '', concat(' above ', toString(worst.1.above))), ' in ', toString(worst.4),
            if(worst.1.above is null, ' evaluations', ' observations'), ', and ', isolated(worst.3), ' has ', toString(round(worst.7, 3)), ' in ', toString(worst.6),
            '. Chance does as much in fewer than ', toString(100 * harmful_chance), ' % of harmless rollouts.'
        ) as sentence
